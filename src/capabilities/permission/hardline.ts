import { disks, end, few, last, type Pattern, pattern, words } from "./pattern.ts";

const glob = String.raw`(?:\[[^\]\s]*\]|[*?.])*`;
const globs = String.raw`(?:\/${glob})?`;
const system = "(?:home|root|etc|usr|var|bin|sbin|boot|lib|lib32|lib64|dev|proc|sys|users|system|library|applications)";
const remove = String.raw`^rm(?:-resolved)? ${words}`;

/** What no mode, allow-list, hook or person lets pass, on any back end. */
export const hardline: readonly Pattern[] = [
  {
    id: "hardline_rm_root",
    description: "recursive delete of root filesystem",
    matches: pattern(String.raw`${remove}(?:\/proc\/(?:self|\d+)\/root\/?|\/)${glob}${end}`),
    example: "rm -rf /",
    nearMisses: ["rm -rf /tmp/build", "rm -rf ./", 'echo "rm -rf /"', "git commit -m 'never rm -rf /'"],
  },
  {
    id: "hardline_rm_system",
    description: "recursive delete of system directory",
    matches: pattern(String.raw`${remove}(?:\/private)?\/${system}${globs}${end}`),
    example: "rm -rf /etc",
    nearMisses: ["rm -rf /etc/nginx/sites-enabled/old", "rm -rf ./etc", "rm -rf /varnish", "ls /etc"],
  },
  {
    id: "hardline_rm_home",
    description: "recursive delete of home directory",
    matches: pattern(String.raw`${remove}~${globs}${end}`),
    example: "rm -rf ~",
    nearMisses: ["rm -rf ~/project/build", "rm -rf '~'", "rm backup~", 'rm "$HOME/x.txt"'],
  },
  {
    id: "hardline_mkfs",
    description: "format filesystem (mkfs)",
    matches: pattern(String.raw`^(?:mkfs(?:\.[\w-]+)?|mke2fs|newfs) (?!(?:-h|--help|-v|--version)(?: [;&|]|$))\S`),
    example: "mkfs.ext4 /dev/sda1",
    nearMisses: ["man mkfs", "mkfs.ext4 --help", "which mkfs.ext4", "grep mkfs notes.txt"],
  },
  {
    id: "hardline_dd_device",
    description: "dd to raw block device",
    matches: pattern(
      String.raw`^(?:dd ${words}of=|(?:tee|shred|blkdiscard|mkswap) ${words}|wipefs ${words}(?:-a|--all) ${words})${disks}`,
    ),
    example: "dd if=image.iso of=/dev/sda",
    nearMisses: [
      "dd if=/dev/sda of=disk.img",
      "dd if=/dev/zero of=/dev/null",
      "dd if=a of=sda",
      "wipefs /dev/sda",
      "tee /dev/stderr",
    ],
  },
  {
    id: "hardline_device_redirect",
    description: "redirect to raw block device",
    matches: pattern(String.raw`(?:^| )(?:&?>[>|&]?|<>) ${disks}|^(?:cp|mv) ${words}${disks}\S*${last}`),
    example: "cat image > /dev/sda",
    nearMisses: ["cat image > /dev/null", "cat < /dev/sda", 'echo "x > /dev/sda"', "ls > dev/sda"],
  },
  {
    id: "hardline_fork_bomb",
    description: "fork bomb",
    matches: pattern(
      String.raw`^(?:function )?(\S+)(?: \(|\n\()\n\)\n(?:;\n)*[{(]\n(?:;\n)*\1 [|&]\n\1 &\n(?:;\n)*[})]|^function (\S+)\n(?:;\n)*\{\n(?:;\n)*\2 [|&]\n\2 &\n`,
    ),
    example: ":(){ :|:& };:",
    nearMisses: ["f() { g | h & }; f", "echo ':(){ :|:& };:'"],
    here: true,
  },
  {
    id: "hardline_kill_all",
    description: "kill all processes",
    matches: pattern(
      String.raw`^kill (?:(?:(?:-[sn]|--signal) \S+ |-(?![sn] |-signal )\S+ )+-1${end}|-1(?: [;&|]+)?$)|^killall5(?: |$)`,
    ),
    example: "kill -9 -1",
    nearMisses: ["kill -1 4242", "kill -9 4242", "kill -9 -100", "echo kill -9 -1"],
    here: true,
  },
  {
    id: "hardline_shutdown",
    description: "system shutdown/reboot",
    matches: pattern(
      String.raw`^(?:shutdown|reboot|halt|poweroff)${end}(?! (?:-c|-k|--help|--version|--show)${end})|(?:^tee |(?:^| )&?>[>|&]? )(?:-a )?\/proc\/sysrq-trigger${end}`,
    ),
    example: "sudo reboot",
    nearMisses: ['git commit -m "reboot"', "git commit -m 'fix; reboot'", "shutdown -c", "cat reboot.md", "./reboot"],
    here: true,
  },
  {
    id: "hardline_init",
    description: "init 0/6 (shutdown/reboot)",
    matches: pattern(String.raw`^init [06]${end}`),
    example: "init 0",
    nearMisses: ["init 3", "git init 0day", "npm init 6"],
    here: true,
  },
  {
    id: "hardline_systemctl",
    description: "systemctl poweroff/reboot",
    matches: pattern(
      String.raw`^(?:systemctl|loginctl) ${few}(?:(?:poweroff|reboot|halt|kexec|soft-reboot)|(?:isolate|start) (?:poweroff|reboot|halt|kexec)\.target)${end}`,
    ),
    example: "systemctl reboot",
    nearMisses: ["systemctl status nginx", "systemctl list-units reboot.target", "grep 'systemctl reboot' notes"],
    here: true,
  },
  {
    id: "hardline_telinit",
    description: "telinit 0/6 (shutdown/reboot)",
    matches: pattern(String.raw`^telinit [06]${end}`),
    example: "telinit 6",
    nearMisses: ["telinit 3", "man telinit"],
    here: true,
  },
];
