import { expect, test } from "vitest";
import { errorText, misshapen, replacedResult, toolResponse } from "./output.ts";

const shell = {
  toolName: "terminal",
  args: { command: "ls" },
  result: '{"output": "a\\n", "exit_code": 0, "error": null}',
};

test.each([
  ["a command's output", shell, { stdout: "a\n", stderr: "", interrupted: false, isImage: false }],
  [
    "a command that could not run",
    { ...shell, result: '{"output": "", "exit_code": -1, "error": "no such folder"}' },
    { stdout: "", stderr: "no such folder", interrupted: false, isImage: false },
  ],
  [
    "a written file",
    { toolName: "write_file", args: { path: "/a", content: "x" }, result: '{"bytes_written": 1}' },
    { bytes_written: 1, filePath: "/a", success: true, type: "create" },
  ],
  ["text that is no JSON", { ...shell, result: "plain { text" }, "plain { text"],
  ["broken JSON", { ...shell, result: '{"output": ' }, '{"output": '],
  ["a tool without a known shape", { toolName: "skills_list", args: {}, result: '{"skills": []}' }, { skills: [] }],
  ["a list", { toolName: "web_search", args: {}, result: "[1]" }, [1]],
])("%s is seen in the shape that hooks know", (_what, call, seen) => {
  expect(toolResponse(call)).toEqual(seen);
});

test("a replaced output of a command goes back into the command's own result", () => {
  const seen = { stdout: "[redacted]", stderr: "", interrupted: false, isImage: false };
  expect(JSON.parse(replacedResult(shell, seen))).toEqual({ output: "[redacted]", exit_code: 0, error: null });
  const failing = { ...shell, result: '{"output": "", "exit_code": 1, "error": "key sk-1"}' };
  expect(JSON.parse(replacedResult(failing, { stdout: "", stderr: "" }))).toEqual({
    output: "",
    exit_code: 1,
    error: null,
  });
});

test("a replaced output of another form is taken as it is", () => {
  expect(replacedResult(shell, "short")).toBe("short");
  expect(replacedResult({ toolName: "web_search", args: {}, result: "{}" }, { a: 1 })).toBe('{"a":1}');
});

test("the error of a failed call is what the tool says of it", () => {
  expect(errorText('{"error": "no such file"}')).toBe("no such file");
  expect(errorText("it broke")).toBe("it broke");
  expect(errorText('{"error": {"code": 2}}')).toBe('{"code":2}');
});

const readFile = { toolName: "read_file", args: { path: "/a" }, result: '{"content": "x", "total_lines": 1}' };

test.each<[string, Parameters<typeof misshapen>[0], unknown, boolean]>([
  ["a command's output", shell, { stdout: "[redacted]" }, true],
  ["text for a command's output", shell, "short", false],
  ["an object without stdout", shell, { output: "x" }, false],
  ["a number for stdout", shell, { stdout: 7, stderr: "" }, false],
  ["text for text", { ...shell, result: "plain" }, "short", true],
  ["an object for text", { ...shell, result: "plain" }, { stdout: "" }, false],
  ["a file that was read", readFile, { file: { content: "y" } }, true],
  ["a file without text", readFile, { file: {} }, false],
  ["text for a file", readFile, "y", false],
  ["other keys of a tool without a known shape", { toolName: "other", args: {}, result: '{"a": 1}' }, { b: 1 }, false],
  ["anything of an MCP server", { toolName: "mcp_a_b", args: {}, result: '{"a": 1}' }, "text", true],
])("%s has the shape of the output or not", (_what, call, seen, fits) => {
  expect(misshapen(call, seen) === undefined).toBe(fits);
});
