import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { pluginFixture } from "../../plugin-fixture.ts";
import { executables, findExecutable } from "./installation.ts";
import { readable } from "./snapshot.ts";

const form = `<!doctype html><title>Form</title><h1>Sign up</h1><p>Some words</p>
<label>Name <input id="name"></label><button onclick="document.title = 'Hello ' + document.getElementById('name').value; console.warn('clicked')">Go</button>
<a href="/next">Next</a> <a href="/away">Away</a><img alt="A cat" src="/cat.png">`;
const server = createServer((request, response) => {
  if (request.url === "/away") response.writeHead(302, { location: "http://10.255.255.1/" }).end();
  else
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(request.url === "/next" ? "<title>Next</title><p>there" : form);
});
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const signal = new AbortController().signal;
const chromium = await findExecutable(executables(process.env));

test.skipIf(chromium === undefined)(
  "a page is opened, read, filled in, clicked and left (needs Chromium)",
  async () => {
    const fixture = await pluginFixture();
    closing.push(fixture.close);
    const provider = await fixture.provider("browser", "chromium");
    expect(await provider.available?.()).toBe(true);
    const refused: string[] = [];
    const refuses = async (url: string) => {
      if (!url.includes("//10.")) return undefined;
      refused.push(url);
      return `${url} is private`;
    };
    const page = await provider.open({ sessionId: "s-1", signal, refuses });
    expect(await page.navigate(`${origin}/`, signal)).toEqual({ url: `${origin}/`, title: "Form" });
    const snapshot = await page.snapshot({ full: false, signal });
    expect(snapshot).toMatch(/heading "Sign up"/);
    expect(snapshot).not.toContain("Some words");
    expect(await page.snapshot({ full: true, signal })).toContain("Some words");
    const field = /textbox "Name" (@e\d+)/.exec(snapshot)?.[1] ?? "";
    const button = /button "Go" (@e\d+)/.exec(snapshot)?.[1] ?? "";
    await page.type(field, "Ada", signal);
    await page.click(button, signal);
    expect((await page.console({ expression: "document.title", clear: false, signal })).result).toBe("Hello Ada");
    expect((await page.console({ clear: true, signal })).messages).toContain("warning: clicked");
    expect((await page.console({ clear: false, signal })).messages).toEqual([]);
    expect(await page.images(signal)).toMatchObject([{ src: `${origin}/cat.png`, alt: "A cat" }]);
    const { bytes } = await page.screenshot({ fullPage: false, signal });
    expect([...bytes.subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    await expect(page.click("@e999", signal)).rejects.toThrow(/new browser_snapshot/);
    await page.navigate(`${origin}/next`, signal);
    expect((await page.back(signal)).url).toBe(`${origin}/`);
    await expect(page.navigate("http://10.1.2.3/", signal)).rejects.toThrow("http://10.1.2.3/ is private");
    await expect(page.navigate(`${origin}/away`, signal)).rejects.toThrow(/ERR_NAME_NOT_RESOLVED|private/);
    expect(refused).toContain("http://10.1.2.3/");
    await page.close();
    expect(page.isOpen?.()).toBe(false);
  },
);

test.skipIf(chromium === undefined)(
  "a browser that runs already is used over its address (needs Chromium)",
  async () => {
    const profile = mkdtempSync(join(tmpdir(), "chromium-"));
    const words = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
    ];
    const running = spawn(chromium as string, words, { stdio: ["ignore", "ignore", "pipe"] });
    const ended = new Promise((settle) => running.on("exit", settle));
    closing.push(async () => {
      running.kill("SIGKILL");
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    });
    let said = "";
    const endpoint = await new Promise<string>((settle, reject) => {
      running.on("exit", () => reject(new Error(said)));
      running.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        const address = /listening on (ws:\S+)/.exec(said)?.[1];
        if (address !== undefined) settle(address);
      });
    });
    const fixture = await pluginFixture();
    closing.push(fixture.close);
    const provider = await fixture.provider("browser", "chromium");
    const page = await provider.open({ sessionId: "s-1", signal, endpoint });
    expect(await page.navigate(`${origin}/`, signal)).toEqual({ url: `${origin}/`, title: "Form" });
    await page.close();
  },
);

test("without Chromium it says what to install", async () => {
  const fixture = await pluginFixture({ browser: { executable: "/nowhere/chromium" } });
  closing.push(fixture.close);
  const provider = await fixture.provider("browser", "chromium");
  expect(await provider.available?.()).toBe(false);
  await expect(provider.open({ sessionId: "s-1", signal })).rejects.toThrow(
    /no Chromium was found at \/nowhere\/chromium: install/,
  );
});

test("references stand on what can be used, and lines are indented by what is left above them", () => {
  const raw = `- generic [ref=e1]:
  - heading "Hi" [level=1] [ref=e2]
  - navigation [ref=e3]:
    - list [ref=e4]:
      - link "one" [ref=e5] [cursor=pointer]:
        - /url: /x
  - iframe [ref=e6]:
    - button "inner" [ref=f1e2]`;
  expect(readable(raw, false)).toBe(`- heading "Hi" [level=1]
- link "one" @e5
- iframe @e6
  - button "inner" @f1e2`);
  expect(readable(raw, true)).toContain("- /url: /x");
});
