// The least that a tool loop over a model server can be: fetch, read the stream, spawn the shell, go on. No library, no checks.
import { spawn } from "node:child_process";

const [url] = process.argv.slice(2);
const messages = [{ role: "user", content: "go" }];
for (;;) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer x" },
    body: JSON.stringify({ model: "bench", stream: true, messages }),
  });
  const calls = [];
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      for (const part of JSON.parse(line.slice(6)).choices[0]?.delta?.tool_calls ?? []) {
        calls[part.index] ??= { id: part.id, name: part.function?.name, text: "" };
        calls[part.index].text += part.function?.arguments ?? "";
      }
    }
  }
  if (calls.length === 0) break;
  messages.push({
    role: "assistant",
    content: "",
    tool_calls: calls.map(({ id, name, text }) => ({ id, type: "function", function: { name, arguments: text } })),
  });
  for (const { id, text } of calls)
    messages.push({ role: "tool", tool_call_id: id, content: await run(JSON.parse(text).command) });
}

function run(command) {
  return new Promise((resolve) => {
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const take = (text) => {
      output += text;
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    child.on("close", (code) => resolve(JSON.stringify({ output, exit_code: code })));
  });
}
