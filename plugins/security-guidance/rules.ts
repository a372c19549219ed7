export interface Finding {
  readonly rule: string;
  readonly advice: string;
}

interface Rule extends Finding {
  readonly pattern: RegExp;
  /** Files that it is about, by their ending; absent: all that are code. */
  readonly files?: RegExp;
}

const python = /\.(py|pyi|ipynb)$/i;
const script = /\.([cm]?[jt]sx?|vue|svelte|html?)$/i;
const prose = /\.(md|mdx|txt|rst|json|ya?ml|lock|csv)$/i;
const workflow = /(^|[\\/])\.github[\\/]workflows[\\/][^\\/]+\.ya?ml$/i;

/** Characters of content that are looked through; longer content is passed over. */
const mostCharacters = 256 * 1024;

const rules: readonly Rule[] = [
  {
    rule: "eval",
    pattern: /(?<![\w.$])eval\s*\(/,
    advice: "eval runs whatever text reaches it: parse data, or look the wanted function up in a table.",
  },
  {
    rule: "new-function",
    files: script,
    pattern: /\bnew\s+Function\s*\(/,
    advice: "new Function compiles text to code, as eval does: write the function out.",
  },
  {
    rule: "child-process-exec",
    files: script,
    pattern: /\bchild_process\b[\s\S]{0,400}?\bexec(Sync)?\s*\(|\bexec(Sync)?\s*\(\s*`[^`]*\$\{/,
    advice: "exec hands the line to a shell: use execFile or spawn with a list of arguments.",
  },
  {
    rule: "inner-html",
    files: script,
    pattern: /\.(inner|outer)HTML\s*\+?=(?!=)|\.insertAdjacentHTML\s*\(|\bdocument\.write(ln)?\s*\(/,
    advice: "Text of others set as HTML runs their scripts: set textContent, or clean it first.",
  },
  {
    rule: "dangerously-set-inner-html",
    files: script,
    pattern: /dangerouslySetInnerHTML/,
    advice: "dangerouslySetInnerHTML shows HTML as it is: clean what comes from others first.",
  },
  {
    rule: "weak-cipher",
    files: script,
    pattern: /\bcreate(De|C)ipher\s*\(/,
    advice: "createCipher makes its key badly and has no vector: use createCipheriv with a random one.",
  },
  {
    rule: "tls-off",
    pattern:
      /rejectUnauthorized\s*:\s*false|InsecureSkipVerify\s*:\s*true|NODE_TLS_REJECT_UNAUTHORIZED\s*=\s*["']?0|\bverify\s*=\s*False\b/,
    advice:
      "Certificates are not checked, so anybody in between can read and change the traffic: trust the one authority that is needed.",
  },
  {
    rule: "ecb",
    pattern: /\bMODE_ECB\b|aes-\d+-ecb|AES\/ECB/i,
    advice: "ECB shows equal blocks as equal: use GCM or another mode with a nonce.",
  },
  {
    rule: "pickle",
    files: python,
    pattern:
      /\b(c?[pP]ickle|cloudpickle|dill|joblib|marshal)\.loads?\s*\(|\bread_pickle\s*\(|\bshelve\.open\s*\(|allow_pickle\s*=\s*True/,
    advice: "Loading pickled data runs code that is in it: use JSON, or load only what you have signed.",
  },
  {
    rule: "yaml-load",
    files: python,
    pattern: /\byaml\.(unsafe_load|full_load)\s*\(|\byaml\.load\s*\((?![^)]*SafeLoader)/,
    advice: "yaml.load can build any object: use yaml.safe_load.",
  },
  {
    rule: "torch-load",
    files: python,
    pattern: /\btorch\.load\s*\((?![^)]*weights_only\s*=\s*True)/,
    advice: "torch.load unpickles: set weights_only=True.",
  },
  {
    rule: "os-system",
    files: python,
    pattern: /\bos\.(system|popen)\s*\(/,
    advice: "os.system hands the line to a shell: use subprocess.run with a list of arguments.",
  },
  {
    rule: "subprocess-shell",
    files: python,
    pattern: /\bsubprocess\.\w+\s*\([^)]*\bshell\s*=\s*True/,
    advice: "shell=True lets text become commands: give a list of arguments without it.",
  },
  {
    rule: "xml-entities",
    files: python,
    pattern: /\bxml\.(etree|dom\.minidom|sax)\b(?![\s\S]*\bdefusedxml\b)/,
    advice: "Python's XML parsers follow entities: use defusedxml for XML of others.",
  },
  {
    rule: "go-shell",
    files: /\.go$/i,
    pattern: /exec\.Command\(\s*"(ba|z)?sh"\s*,\s*"-c"/,
    advice: "The shell reads text as commands: call the program itself with its arguments.",
  },
  {
    rule: "script-without-integrity",
    files: /\.html?$/i,
    pattern: /<script\b(?![^>]*\bintegrity=)[^>]*\bsrc=["']https?:/i,
    advice: "A script of another site can change at any time: add integrity, or keep a copy.",
  },
  {
    rule: "workflow-injection",
    files: workflow,
    pattern: /\brun:[\s\S]*\$\{\{\s*github\.(event|head_ref)\b/,
    advice: "Titles and branch names of others become part of the command: pass them by env and quote the variable.",
  },
];

/** The rules that content meets, each once. */
export function findings(path: string, content: string): readonly Finding[] {
  if (content === "" || content.length > mostCharacters) return [];
  return rules
    .filter(
      ({ files, pattern }) => (files === undefined ? !prose.test(path) : files.test(path)) && pattern.test(content),
    )
    .map(({ rule, advice }) => ({ rule, advice }));
}
