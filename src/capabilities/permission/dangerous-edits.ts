import {
  agentConfig,
  credentials,
  end,
  few,
  last,
  type Pattern,
  pattern,
  projectConfig,
  sensitive,
  systemConfig,
  words,
} from "./pattern.ts";

const redirect = "(?:^| )&?>[>|&]? ";
const copy = String.raw`^(?:cp|mv|install) ${words}`;
const sed = String.raw`^sed ${few}-[a-z]*i\S* ${words}`;
const sedLong = String.raw`^sed ${few}--in-place\S* ${words}`;
const scripted = String.raw`^(?:perl|ruby) ${few}-[a-z]*i\S* ${words}`;

/** Overwriting, copying onto and editing files that other programs trust. */
export const dangerousEdits: readonly Pattern[] = [
  {
    id: "tee_system",
    description: "overwrite system file via tee",
    matches: pattern(String.raw`^tee ${words}${sensitive}${end}`),
    example: "echo x | tee -a ~/.bashrc",
    nearMisses: ["echo x | tee out.txt", "cat ~/.bashrc | tee copy.txt"],
    legacy: ["tee"],
  },
  {
    id: "redirect_system",
    description: "overwrite system file via redirection",
    matches: pattern(String.raw`${redirect}(?!${systemConfig}${end})${sensitive}${end}`),
    example: "echo key >> ~/.ssh/authorized_keys",
    nearMisses: ["cat ~/.ssh/config > copy.txt", "echo x > /home/other/.bashrc"],
  },
  {
    id: "tee_project",
    description: "overwrite project env/config via tee",
    matches: pattern(String.raw`^tee ${words}(?!${agentConfig})${projectConfig}${end}`),
    example: "echo A=1 | tee .env",
    nearMisses: ["echo A=1 | tee environment", "cat .env | tee copy"],
    legacy: ["tee"],
  },
  {
    id: "redirect_project",
    description: "overwrite project env/config via redirection",
    matches: pattern(String.raw`${redirect}(?!${agentConfig})${projectConfig}${end}`),
    example: "echo A=1 > .env",
    nearMisses: ["cat .env > copy", "echo x > config.json", "node x > .envy/out"],
  },
  {
    id: "copy_system_config",
    description: "copy/move file into system config path",
    matches: pattern(String.raw`${copy}(?:(?:-t |--target-directory=)${systemConfig}${end}|${systemConfig}${last})`),
    example: "cp hosts /etc/hosts",
    nearMisses: ["cp /etc/hosts .", "mv a b"],
    legacy: ["(cp|mv|install)"],
  },
  {
    id: "copy_project_config",
    description: "overwrite project env/config file",
    matches: pattern(String.raw`${copy}(?!${agentConfig})${projectConfig}${last}`),
    example: "cp sample .env",
    nearMisses: ["cp .env backup.txt", "mv config.yaml old"],
    legacy: ["(cp|mv|install)"],
  },
  {
    id: "copy_credentials",
    description: "copy/move file into sensitive credential/SSH/shell-rc path",
    matches: pattern(String.raw`${copy}(?:${credentials}|${agentConfig})${last}`),
    example: "cp key ~/.ssh/authorized_keys",
    nearMisses: ["cp ~/.ssh/config .", "cp x ~/.sshx"],
    legacy: ["(cp|mv|install)"],
  },
  {
    id: "sed_credentials",
    description: "in-place edit of sensitive credential/SSH/shell-rc path",
    matches: pattern(String.raw`${sed}${credentials}${end}`),
    example: "sed -i 's/a/b/' ~/.bashrc",
    nearMisses: ["sed -n 1p ~/.bashrc", "sed -i 's/a/b/' notes.txt"],
  },
  {
    id: "sed_credentials_long",
    description: "in-place edit of sensitive credential/SSH/shell-rc path (long flag)",
    matches: pattern(String.raw`${sedLong}${credentials}${end}`),
    example: "sed --in-place 's/a/b/' ~/.zshrc",
    nearMisses: ["sed --in-place 's/a/b/' notes.txt", "sed --quiet 1p ~/.zshrc"],
  },
  {
    id: "script_edit_credentials",
    description: "in-place edit of sensitive credential/SSH/shell-rc path (perl/ruby)",
    matches: pattern(String.raw`${scripted}${credentials}${end}`),
    example: "perl -pi -e 's/a/b/' ~/.netrc",
    nearMisses: ["perl -ne print ~/.netrc", "ruby app.rb ~/.netrc"],
  },
  {
    id: "sed_system_config",
    description: "in-place edit of system config",
    matches: pattern(String.raw`${sed}${systemConfig}${end}`),
    example: "sed -i 's/a/b/' /etc/hosts",
    nearMisses: ["sed 's/a/b/' /etc/hosts", "sed -i 's/a/b/' etc/hosts"],
  },
  {
    id: "sed_system_config_long",
    description: "in-place edit of system config (long flag)",
    matches: pattern(String.raw`${sedLong}${systemConfig}${end}`),
    example: "sed --in-place 's/a/b/' /etc/hosts",
    nearMisses: ["sed --debug 's/a/b/' /etc/hosts"],
  },
  {
    id: "sed_agent_config",
    description: "in-place edit of Hermes config/env",
    matches: pattern(String.raw`${sed}${agentConfig}${end}`),
    example: "sed -i 's/a/b/' ~/.hermes/config.yaml",
    nearMisses: ["sed -n 1p ~/.hermes/config.yaml", "sed -i 's/a/b/' ~/.hermes/notes.md"],
  },
  {
    id: "sed_agent_config_long",
    description: "in-place edit of Hermes config/env (long flag)",
    matches: pattern(String.raw`${sedLong}${agentConfig}${end}`),
    example: "sed --in-place 's/a/b/' ~/.hermes/.env",
    nearMisses: ["sed --quiet 1p ~/.hermes/.env"],
  },
  {
    id: "script_edit_agent_config",
    description: "in-place edit of Hermes config/env (perl/ruby)",
    matches: pattern(String.raw`${scripted}${agentConfig}${end}`),
    example: "ruby -i -pe '$_' ~/.hermes/config.yaml",
    nearMisses: ["perl -ne print ~/.hermes/config.yaml"],
  },
];
