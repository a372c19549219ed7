import { describe, expect, test } from "vitest";
import { findings } from "./matching.ts";

const place = { home: "/home/ada", agentHome: "/home/ada/.talaria", cwd: "/home/ada/project" };
const hard = (command: string) => findings(command, place).hardline?.id;

describe("the root folder is not deleted by what a shell makes of", () => {
  test.each([
    "cat <<E\n$(rm -rf /)\nE",
    ": ${x:-$(rm -rf /)}",
    'echo "${x:=`rm -rf /`}"',
    "a=($(rm -rf /))",
    "a=r;a+=m; $a -rf /",
    "x=abcrm; ${x:3} -rf /",
    "x=xrm; ${x#x} -rf /",
    "x=rmx; ${x%x} -rf /",
    "x=ram; ${x/a/} -rf /",
    "x=RM; ${x,,} -rf /",
    "y=x; x=rm; ${!y} -rf /",
    "r$@m -rf /",
    "r$1m -rf /",
    "$SUDO rm -rf /",
    "printf -v x 'rm -rf /'; $x",
    "printf '%s' 'rm' ' -rf /' | sh",
    "read -r a b c <<< 'rm -rf /'; $a $b $c",
    "set -- /; rm -rf $1",
    "bash -c 'rm -rf \"$1\"' _ /",
    "coproc X { rm -rf /; }",
    "select x in /; do rm -rf $x; done",
    "rm -rf /[a-z]*",
    "rm -rf /proc/self/root",
    "rm -rf $(realpath /)",
    "rm -rf $(dirname /etc)",
    "rm -rf $(echo Lw== | base64 -d)",
    "$(which rm) -rf /",
    "$(command -v rm) -rf /",
    "/bin/r? -rf /",
    "/bin/r[m] -rf /",
    "../../../bin/rm -rf /",
    "env -C / rm -rf .",
    "env --chdir=/ rm -rf .",
    "sudo --user root rm -rf /",
    "timeout --signal KILL 5 rm -rf /",
    "systemd-run --user rm -rf /",
    "setarch x86_64 rm -rf /",
    "prlimit --nofile=10 rm -rf /",
    "xargs rm -rf <<< /",
    "printf '/\\0' | xargs -0 rm -rf",
    "find / -delete",
    "cd /; find . -delete",
    "find / -mindepth 1 -exec rm -rf {} +",
    "find / -print0 | xargs -0 rm -rf",
  ])("%j", (command) => expect(hard(command)).toBe("hardline_rm_root"));
});

describe("text in another form, in a file or in a setting is read", () => {
  test.each([
    "echo cm0gLXJmIC8K | base64 -d | sh",
    "base64 --decode <<< cm0gLXJmIC8= | bash",
    "bash <(echo cm0gLXJmIC8= | base64 -d)",
    'eval "$(echo cm0gLXJmIC8= | base64 -d)"',
    "echo '/ fr- mr' | rev | sh",
    "echo 726d202d7266202f | xxd -r -p | sh",
    'echo "rm -rf /" > /tmp/x.sh; sh /tmp/x.sh',
    "cat > x.sh <<'E'\nrm -rf /\nE\nchmod +x x.sh && ./x.sh",
    "echo 'rm -rf /' | tee x.sh; bash < x.sh",
    "cat > x.py <<'E'\nimport os\nos.system('rm -rf /')\nE\npython3 x.py",
    'perl -e \'exec "rm","-rf","/"\'',
    "python3 -c \"import subprocess; subprocess.run(['rm','-rf','/'])\"",
    "python3 -c \"import os;os.system('rm' + ' -rf /')\"",
    "python3 -c 'import shutil; shutil.rmtree(\"/\")'",
    'node -e \'require("fs").rmSync("/",{recursive:true})\'',
    "ruby -e '%x(rm -rf /)'",
    "tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec='rm -rf /'",
    "npm exec -c 'rm -rf /'",
    "vim -c ':!rm -rf /'",
    "make -f - <<< 'all:; rm -rf /'",
    "echo '* * * * * rm -rf /' | crontab -",
    "PROMPT_COMMAND='rm -rf /' bash -i",
    "GIT_SSH_COMMAND='rm -rf /' git fetch",
  ])("%j", (command) => expect(hard(command)).toBe("hardline_rm_root"));
});

test.each([
  ["rm -rf ~root", "hardline_rm_system"],
  ["rm -rf ~ada/*", "hardline_rm_home"],
  ["find ~ -delete", "hardline_rm_home"],
  ["cat img | sudo tee /dev/nvme0n1", "hardline_dd_device"],
  ["shred -uz /dev/sda", "hardline_dd_device"],
  ["wipefs -a /dev/sda", "hardline_dd_device"],
  ["cp image /dev/sda", "hardline_device_redirect"],
  ["cat img 1<>/dev/sda", "hardline_device_redirect"],
  ["b() { b & b & }; b", "hardline_fork_bomb"],
  ["function b { b | b & }; b", "hardline_fork_bomb"],
  ["function b() { b|b& }; b", "hardline_fork_bomb"],
  [": () ( : | : & ) ; :", "hardline_fork_bomb"],
  ["kill -n 9 -1", "hardline_kill_all"],
  ["kill --signal KILL -1", "hardline_kill_all"],
  ["killall5 -9", "hardline_kill_all"],
  ["systemctl isolate reboot.target", "hardline_systemctl"],
  ["loginctl poweroff", "hardline_systemctl"],
  ["git -c alias.r='!reboot' r", "hardline_shutdown"],
  ["GIT_PAGER=reboot git log", "hardline_shutdown"],
  ["ssh localhost reboot", "hardline_shutdown"],
  ["echo b | sudo tee /proc/sysrq-trigger", "hardline_shutdown"],
])("%s is %s", (command, id) => expect(hard(command)).toBe(id));

describe("what looks like it and is not", () => {
  test.each([
    "command -v reboot",
    "rm *",
    "rm -rf *",
    "rm -rf $dir/",
    'clean() { rm -rf "$1"/*; }; clean build',
    "find / -name '*.pyc' -delete",
    "find build -delete",
    "kill -1 1234",
    "ssh localhost uptime",
    "systemctl start nginx",
    "cp /dev/sda1 image",
    'echo "never: rm -rf /" >> README.md && cat README.md',
    "cat > notes.md <<'E'\nrm -rf /\nE\ncat notes.md",
    "cat <<'E'\n$(rm -rf /)\nE",
    "echo '$(rm -rf /)' ${x:-none}",
    "EDITOR=vim git commit",
    "$VENV/bin/python -m pytest",
    'f="${file%.*}"; echo "${f##*/}"',
    "echo cm0gLXJmIC8K | base64 -d",
    'fetch_one() { curl -s "$1"; }; fetch_one x',
  ])("%j passes", (command) => expect(hard(command)).toBeUndefined());

  test("a search of find that runs grep is not one that deletes", () => {
    expect(findings("find src -exec grep -l rm {} +", place).dangerous).toEqual([]);
  });
});

test("long text of these kinds is read quickly too", () => {
  for (const text of [
    "echo x > y;".repeat(10_000),
    "${x:-".repeat(20_000),
    `x=${"a".repeat(1_900)};${"${x##*a*b}".repeat(1_000)}`,
    "$(echo ".repeat(11) + ")".repeat(11),
    "systemctl start ".repeat(8_000),
  ]) {
    const start = performance.now();
    findings(text, place);
    expect(performance.now() - start, text.slice(0, 20)).toBeLessThan(20_000);
  }
}, 120_000);
