import { credentials, disks, end, few, last, type Pattern, pattern, systemConfig, words } from "./pattern.ts";

const glob = String.raw`(?:\/?(?:\[[^\]\s]*\]|[*?.])*)`;
/** The root, a folder that the system stands on, or the person's home as a whole. */
const whole = String.raw`(?:(?:\/private)?\/(?:home|root|etc|usr|var|bin|sbin|boot|lib|lib32|lib64|dev|proc|sys|opt|users|system|library|applications)${glob}|\/(?:[*?.]|\[[^\]\s]*\])*|~(?:\/\.\.)?${glob})`;
const trusted = `(?:${systemConfig}|${credentials})`;
const decoder = String.raw`(?:base(?:64|32)|basenc|xxd|openssl|uudecode) ${few}(?:-[a-z]*[dr][a-z]*|--d\S*|-a|-base64|\S+\.uu)${end}`;

/** Near forms of what Hermes's table names: other programs that take away, lock or hand over what a machine stands on. */
export const dangerousMachine: readonly Pattern[] = [
  {
    id: "rights_of_system",
    description: "recursive rights or owner of a system or home directory",
    matches: pattern(
      String.raw`^(?:chmod|chown|chgrp|setfacl) (?=${few}(?:-[a-z]*r[a-z]*|--recursive)${end})${words}${whole}${end}`,
    ),
    example: "chmod -R 000 /",
    nearMisses: [
      "chmod -R 755 build",
      "chown -R ada /usr/local/lib/node_modules",
      "chown -R ada ~/project",
      "chmod 755 /usr",
      "chgrp -R staff .",
    ],
  },
  {
    id: "move_system",
    description: "move a system or home directory away",
    matches: pattern(String.raw`^mv (?:[^\s<>]+ )*?${whole} [^\s<>|;&()]`),
    example: "mv / /dev/null",
    nearMisses: ["mv notes.txt ~", "mv a b ~/", "mv ~/a ~/b", "mv /usr/local/bin/x /tmp", "mv build/* /var/www/html"],
  },
  {
    id: "sync_delete_system",
    description: "delete in a system or home directory by rsync",
    matches: pattern(String.raw`^rsync (?=${few}--del)${words}${whole}(?: -\S+)*${last}`),
    example: "rsync -a --delete empty/ ~/",
    nearMisses: [
      "rsync -a --delete build/ host:/var/www",
      "rsync -a / /backup/ --exclude proc",
      "rsync -a src/ ~/copy/",
    ],
  },
  {
    id: "disk_layout",
    description: "change the layout or keys of a disk",
    matches: pattern(
      String.raw`^(?:(?:fdisk|cfdisk|gdisk|truncate|pvcreate|zerofree) (?!(?:[^\s<>]+ )*?(?:-l|--list|-r|--reference\S*)${end})${words}${disks}|sfdisk (?!${few}(?:-[dljv]|--(?:dump|list|json|verify)\S*)${end})${words}${disks}|parted ${words}${disks}\S* ${few}(?:mklabel|mktable|mkpart|rm|resizepart)${end}|sgdisk (?=${few}(?:-[zogdn]|--(?:zap|clear|delete|new|mbrtogpt))\S*)${words}${disks}|cryptsetup ${few}(?:luksformat|erase|lukserase|reencrypt)${end}|hdparm ${few}--(?:security-erase|trim-sector|make-bad-sector|write-sector)|diskutil (?:\w+ )?(?:erase|partition|zero|secureerase)\w*)`,
    ),
    example: "sgdisk --zap-all /dev/sda",
    nearMisses: [
      "fdisk -l /dev/sda",
      "parted /dev/sda print",
      "sgdisk -p /dev/sda",
      "cryptsetup status x",
      "diskutil list",
    ],
  },
  {
    id: "empty_trusted",
    description: "empty or destroy a system or credential file",
    matches: pattern(
      String.raw`^(?:(?:truncate|shred|unlink) ${words}${trusted}${end}|ln ${few}(?:-[a-z]*f[a-z]*|--force) ${words}\/etc\/(?:passwd|shadow|group|sudoers|hosts|fstab)${last})`,
    ),
    example: "truncate -s 0 /etc/passwd",
    nearMisses: [
      "truncate -s 0 app.log",
      "shred -u old.key",
      "unlink /tmp/x.sock",
      "ln -sf ~/dotfiles/zshrc ~/.zshrc",
      "ln -sf /usr/share/zoneinfo/UTC /etc/localtime",
    ],
  },
  {
    id: "decode_to_shell",
    description: "pipe decoded content to shell",
    matches: pattern(
      String.raw`^${decoder}[^\n]*\|&?\n(?:[^\n]*\|&?\n){0,8}?(?:(?:ba|z|k|da|a|fi)?sh|python[\d.]*|perl|ruby|node)${end}`,
    ),
    example: "base64 -d script.b64 | sh",
    nearMisses: ["base64 -d a.b64 | tar x", "base64 notes.txt | sh-like", "xxd notes | less", "base64 -d a > b"],
  },
];
