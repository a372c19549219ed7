import { describe, expect, test } from "vitest";
import { dangerous } from "./dangerous.ts";
import { dangerousMachine } from "./dangerous-machine.ts";
import { hardline } from "./hardline.ts";
import { findings } from "./matching.ts";

const place = { home: "/home/ada", agentHome: "/home/ada/.talaria", cwd: "/home/ada/project" };
const hard = (command: string) => findings(command, place).hardline?.id;
const keys = (command: string) => findings(command, place).dangerous.map((row) => row.id);

describe("tables", () => {
  test("ids are unique, and Hermes's descriptions too but for the one that Hermes has twice", () => {
    const rows = [...hardline, ...dangerous];
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
    expect(hardline).toHaveLength(12);
    const hermes = dangerous.filter((row) => !dangerousMachine.includes(row));
    expect(hermes).toHaveLength(61);
    expect(new Set(dangerous.map((row) => row.description)).size).toBe(dangerous.length - 1);
  });
  for (const row of hardline) {
    test(`${row.id} catches its example`, () => expect(hard(row.example)).toBe(row.id));
    test.each(row.nearMisses)(`${row.id} lets pass: %s`, (command) => expect(hard(command)).toBeUndefined());
  }
  for (const row of dangerous) {
    test(`${row.id} catches its example`, () => expect(keys(row.example)).toContain(row.id));
    test.each(row.nearMisses)(`${row.id} lets pass: %s`, (command) => expect(keys(command)).not.toContain(row.id));
  }
});

describe("near forms are asked about", () => {
  test.each([
    ["rights_of_system", "chmod -R 000 /"],
    ["rights_of_system", "chmod --recursive a-rwx /etc"],
    ["rights_of_system", "chmod -R u-w ~"],
    ["rights_of_system", "chmod 700 -R /usr/*"],
    ["rights_of_system", "sudo chown -R nobody:nogroup /usr"],
    ["rights_of_system", "env A=1 chown -hR ada /"],
    ["rights_of_system", "cd /tmp; 'chgrp' --recursive users /var"],
    ["rights_of_system", "setfacl -R -m u:x:rwx /"],
    ["rights_of_system", "chown -R nobody /home/ada"],
    ["move_system", "mv /* /dev/null"],
    ["move_system", "mv -f ~ /dev/null"],
    ["move_system", "sudo -n mv /etc /tmp/x"],
    ["move_system", "/bin/mv ~/* /dev/null"],
    ["sync_delete_system", "rsync -a --delete empty/ /"],
    ["sync_delete_system", "rsync empty/ ~ --delete-after"],
    ["disk_layout", "fdisk /dev/sda"],
    ["disk_layout", "parted -s /dev/nvme0n1 mklabel gpt"],
    ["disk_layout", "truncate -s 0 /dev/sda"],
    ["disk_layout", "cryptsetup luksFormat /dev/sda2"],
    ["disk_layout", "sudo hdparm --security-erase p /dev/sda"],
    ["empty_trusted", "shred -u ~/.ssh/id_ed25519"],
    ["empty_trusted", "unlink /etc/passwd"],
    ["empty_trusted", "ln -sf /dev/null /etc/passwd"],
    ["decode_to_shell", "base64 -d < x | bash"],
    ["decode_to_shell", "base64 --decode x | sudo sh"],
    ["decode_to_shell", "xxd -r -p x | sh"],
    ["decode_to_shell", "openssl enc -d -base64 -in x | tee y | bash -s"],
  ])("%s: %s", (id, command) => expect(keys(command)).toContain(id));
});

describe("what developers do all day is not asked about", () => {
  test.each([
    "find . -name '*.pyc' -type f",
    "chmod -R 755 dist && chmod +x bin/run",
    "chown -R ada:ada /srv/app",
    "sudo chown -R $(whoami) /usr/local/lib",
    "mv /home/ada/project/a /home/ada/project/b",
    "mv src/* lib/",
    "mv ~/Downloads/x.zip .",
    "mv *.log /var/log/old",
    "mv . ../renamed",
    "rsync -av --delete dist/ deploy@example.org:/var/www/",
    "rsync -av --delete src/ ~/backup/src/",
    "base64 -d token.txt | jq .",
    "base64 -d k.b64 > key.pem; sh build.sh",
    "openssl x509 -in cert.pem -noout -text | less",
    "truncate -s 10M test.bin",
    "fdisk -l",
    "echo 'chmod -R 000 /'",
    'git commit -m "mv / /dev/null"',
    "grep -rn 'chown -R nobody /' docs",
    "npm run build && node dist/main.js",
    "docker compose up -d",
    "git rm -r --cached .",
    "tar -czf - . | base64 > x",
  ])("%s", (command) => {
    expect(keys(command)).toEqual([]);
    expect(hard(command)).toBeUndefined();
  });
});
