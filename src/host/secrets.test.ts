import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSecretName, redact, redactValue, registerEnvironmentSecrets, registerSecrets } from "./secrets.ts";

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const filler = (length: number): string => letters.repeat(3).slice(0, length);

describe("what is blanked", () => {
  test.each([
    ["sk-", `sk-${filler(40)}`],
    ["sk-ant-", `sk-ant-api03-${filler(60)}`],
    ["sk-proj-", `sk-proj-${filler(60)}`],
    ["sk-or-v1-", `sk-or-v1-${filler(60)}`],
    ["AIza", `AIza${filler(35)}`],
    ["ghp_", `ghp_${filler(36)}`],
    ["github_pat_", `github_pat_${filler(60)}`],
    ["glpat-", `glpat-${filler(20)}`],
    ["xoxb-", `xoxb-123456789012-${filler(24)}`],
    ["AKIA", "AKIAIOSFODNN7EXAMPLE"],
    ["gsk_", `gsk_${filler(52)}`],
    ["hf_", `hf_${filler(34)}`],
    ["npm_", `npm_${filler(36)}`],
    ["sk_live_", `sk_live_${filler(24)}`],
    ["a JSON web token", `eyJhbGciOiJIUzI1NiJ9.${filler(30)}.${filler(43)}`],
    ["a Telegram bot token", `1234567890:${filler(35)}`],
  ])("%s", (_, token) => {
    for (const text of [token, `say "${token}".`, `a=${token}\n`, `(${token})`, `https://host/?x=${token}&y`]) {
      expect(redact(text)).not.toContain(token.slice(8));
    }
  });

  test.each([
    ["Authorization: Bearer abcdef123456789", "abcdef123456789"],
    ["authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA"],
    ["curl -H 'x-api-key: 0123456789'", "0123456789"],
    ["postgres://ada:hunter22@db.example/x", "hunter22"],
    ["https://api.example/v1?api_key=0123456789&q=1", "0123456789"],
    ["OPENAI_API_KEY=abcdefgh", "abcdefgh"],
    ['export DB_PASSWORD="correct horse"', "correct horse"],
    ["MY_SECRET2='s3cr3t'", "s3cr3t"],
    ['{"apiKey": "0123456789"}', "0123456789"],
    ['{"client_secret":"with \\"quotes\\" in"}', "quotes"],
    ["  password: hunter2222", "hunter2222"],
    ["AccountKey=abcdefghijklmnopqrstuvwx==", "abcdefghijkl"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nafter", "MIIE"],
    ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk (cut", "b3BlbnNz"],
  ])("%s", (text, secret) => {
    const clean = redact(text);
    expect(clean).not.toContain(secret);
    expect(clean).toContain("***");
  });

  test("what surrounds a secret stays", () => {
    expect(redact("postgres://ada:hunter22@db.example/x")).toBe("postgres://ada:***@db.example/x");
    expect(redact("a OPENAI_API_KEY=abcdefgh b")).toBe("a OPENAI_API_KEY=*** b");
    expect(redact("x\n-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\ny")).toBe(
      "x\n-----BEGIN PRIVATE KEY-----\n***\n-----END PRIVATE KEY-----\ny",
    );
  });

  test("values that were registered, wherever they stand; short ones are not", () => {
    registerSecrets(["plain-words-as-key", "short", undefined, "a.b*c(d)[e]"]);
    registerEnvironmentSecrets({ SOME_TOKEN: "value-of-a-token", SSH_KEY: "/home/ada/key-file", EDITOR: "vim-editor" });
    expect(redact("xplain-words-as-keyx short a.b*c(d)[e] value-of-a-token /home/ada/key-file vim-editor")).toBe(
      "x***x short *** *** /home/ada/key-file vim-editor",
    );
  });
});

describe("what stays as it is", () => {
  test.each([
    "MAX_TOKENS=1000000",
    "const API_KEY = process.env.API_KEY;",
    "OPENAI_API_KEY=$OPENAI_API_KEY",
    "token: string;",
    "https://example.com:8080/path?page=2",
    "commit 6dc13c1e0f5d4b8f9a3c2b1a0e9d8c7b6a5f4e3d",
    "20261130_185044_ab12cd",
    "0190163d-8694-739b-aea5-966c26f8ad91",
    "task-manager sk-learn desk-top",
    "if (key == value) { secret() }",
    "time 12:30:45 and 10:20",
    "KEY=",
    "",
  ])("%j", (text) => {
    expect(redact(text)).toBe(text);
  });

  test.each(["a1".repeat(20), "a1".repeat(5000), "a_".repeat(5000), "a_token_".repeat(2000)])(
    "a line that begins with a long word is read at once",
    (word) => {
      expect(redact(`${word} fix: it\n"${word}" : x`)).toBe(`${word} fix: it\n"${word}" : x`);
    },
  );

  test("redacting twice is redacting once", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "API_KEY=",
        "Bearer ",
        "sk-",
        '"token": "',
        "password: ",
        "://",
        ":",
        "@",
        `ghp_${filler(30)}`,
        "\n",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const once = redact(pieces.join(""));
        expect(redact(once)).toBe(once);
      }),
    );
  });

  test("long texts take time in proportion to their length", () => {
    const started = performance.now();
    for (const unit of ["a", "A_", "key_", "a-", "://", "=", ' "', "password", "eyJ", "token:", "  - "])
      redact(unit.repeat(100_000));
    expect(performance.now() - started).toBeLessThan(4000);
  });
});

test.each([
  ["OPENAI_API_KEY", true],
  ["apiKey", true],
  ["authToken", true],
  ["DB_PASSWORD_2", true],
  ["client-secret", true],
  ["max_tokens", false],
  ["input_tokens", false],
  ["key", false],
  ["keyboard", false],
  ["tokenizer", false],
])("%s is the name of a secret: %s", (name, expected) => {
  expect(isSecretName(name)).toBe(expected);
});

test("objects are copied with secrets blanked by name and by value, cycles cut, the original untouched", () => {
  const original: Record<string, unknown> = { apiKey: "abc", list: ["OPENAI_API_KEY=abcdefgh"], n: 1, none: null };
  original["self"] = original;
  expect(redactValue(original)).toEqual({
    apiKey: "***",
    list: ["OPENAI_API_KEY=***"],
    n: 1,
    none: null,
    self: "[circular]",
  });
  expect(original["apiKey"]).toBe("abc");
});
