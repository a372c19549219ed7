import type { StepCall } from "./step-call.ts";
import type { StepResult } from "./step-result.ts";

/** What the offline model says, in the language that it was spoken to. */
export interface Wording {
  readonly introduction: string;
  readonly reminder: string;
  readonly before: (call: StepCall) => string;
  readonly succeeded: (call: StepCall, result: StepResult) => string;
  readonly failed: (call: StepCall, result: StepResult) => string;
  readonly skipped: (count: number) => string;
  readonly missingTool: (name: string) => string;
  readonly summary: (text: string) => string;
}

const english: Wording = {
  introduction: [
    "I am Talaria's offline model: no language model, only a small program that understands a few plain requests and carries them out with the real tools, so that hooks, approvals and traces can be tried without a key.",
    "",
    "I understand, in English and Chinese, also several joined by “then”:",
    "- run `ls -la`",
    "- read package.json",
    "- find TODO in src · find *.ts in src",
    "- write buy milk to notes.md · create hello.txt with the word hi, then show it · append bread to notes.md",
    "- list files · what changed in git? · delete hello.txt",
    "",
    "To talk to a real model, run `talaria model`, or set a key such as ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or start a local server such as Ollama or LM Studio: it is found by itself.",
  ].join("\n"),
  reminder: "(Answered by the offline model; `talaria model` sets up a real one.)",
  before: ({ name, args }) =>
    ({
      terminal: `Running \`${args["command"]}\`.`,
      read_file: `Reading ${args["path"]}.`,
      write_file: `Writing ${args["path"]}.`,
      search_files: args["path"] === "." ? "Searching this folder." : `Searching ${args["path"]}.`,
    })[name] ?? `Calling ${name}.`,
  succeeded: ({ name, args }, result) => {
    switch (name) {
      case "terminal":
        return result.text
          ? `\`${args["command"]}\` printed:\n\n${fenced(result.text)}`
          : `\`${args["command"]}\` ran and printed nothing.`;
      case "read_file":
        return result.text ? `${args["path"]} contains:\n\n${fenced(result.text)}` : `${args["path"]} is empty.`;
      case "write_file":
        return `I wrote ${args["path"]}.`;
      default:
        return result.text
          ? `Found in ${args["path"]}:\n\n${fenced(result.text)}`
          : `Nothing found in ${args["path"]}.`;
    }
  },
  failed: (call, result) =>
    `${whatOf(call)} did not work${result.exitCode === undefined ? "" : ` (exit code ${result.exitCode})`}:\n\n${fenced(result.text || (result.exitCode === undefined ? "no reason was given" : "(it printed nothing)"))}`,
  skipped: (count) => `I did not do the ${count === 1 ? "step" : `${count} steps`} after it.`,
  missingTool: (name) => `I would need the tool ${name} for that, and it is not available here.`,
  summary: (text) =>
    `The offline model cannot summarise; this is the beginning of what was to be summarised:\n\n${text}`,
};

const chinese: Wording = {
  introduction: [
    "我是 Talaria 的离线模型：不是语言模型，只是一个小程序。我能听懂几种简单的请求，并用真正的工具完成它们，这样不用密钥也能试用钩子、审批和追踪。",
    "",
    "我能听懂下面这些中文或英文请求，多个步骤可以用“然后”连接：",
    "- 运行 `ls -la`",
    "- 读取 package.json",
    "- 在 src 中查找 TODO",
    "- 把“买牛奶”写入 notes.md · 创建 hello.txt，内容为 hi，然后显示它 · 把“面包”追加到 notes.md",
    "- 列出文件 · git 里有什么变化？ · 删除 hello.txt",
    "",
    "要使用真正的模型，请运行 `talaria model`，或设置 ANTHROPIC_API_KEY、OPENAI_API_KEY、GEMINI_API_KEY、OPENROUTER_API_KEY 等密钥，或启动 Ollama、LM Studio 等本地服务：它会被自动发现。",
  ].join("\n"),
  reminder: "（由离线模型回答；运行 `talaria model` 可设置真正的模型。）",
  before: ({ name, args }) =>
    ({
      terminal: `运行 \`${args["command"]}\`。`,
      read_file: `读取 ${args["path"]}。`,
      write_file: `写入 ${args["path"]}。`,
      search_files: args["path"] === "." ? "在当前目录中查找。" : `在 ${args["path"]} 中查找。`,
    })[name] ?? `调用 ${name}。`,
  succeeded: ({ name, args }, result) => {
    switch (name) {
      case "terminal":
        return result.text
          ? `\`${args["command"]}\` 的输出：\n\n${fenced(result.text)}`
          : `\`${args["command"]}\` 已运行，没有输出。`;
      case "read_file":
        return result.text ? `${args["path"]} 的内容：\n\n${fenced(result.text)}` : `${args["path"]} 是空的。`;
      case "write_file":
        return `已写入 ${args["path"]}。`;
      default:
        return result.text
          ? `在 ${args["path"]} 中找到：\n\n${fenced(result.text)}`
          : `在 ${args["path"]} 中没有找到。`;
    }
  },
  failed: (call, result) =>
    `${whatOf(call)} 没有成功${result.exitCode === undefined ? "" : `（退出码 ${result.exitCode}）`}：\n\n${fenced(result.text || (result.exitCode === undefined ? "没有给出原因" : "（没有输出）"))}`,
  skipped: (count) => `后面的 ${count} 步没有执行。`,
  missingTool: (name) => `这需要工具 ${name}，但它在这里不可用。`,
  summary: (text) => `离线模型不会做摘要；以下是需要摘要的内容的开头：\n\n${text}`,
};

export function wordingFor(text: string): Wording {
  return /[\u4e00-\u9fff]/.test(text) ? chinese : english;
}

function whatOf({ name, args }: StepCall): string {
  const object = args["command"] ?? args["path"];
  return object === undefined ? name : name === "terminal" ? `\`${object}\`` : `${name} ${object}`;
}

/** A fence that is longer than any inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
