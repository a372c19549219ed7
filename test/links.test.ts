import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const pages = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], {
  exclude: (name) => /(^|\/)node_modules$/.test(String(name)),
}).sort();

/** Prose without what stands between fences. */
function prose(page: string): string {
  return readFileSync(page, "utf8").replace(/^(```|~~~)[\s\S]*?^\1/gm, "");
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(page: string): readonly string[] {
  return [...prose(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

function deadLinks(page: string): readonly string[] {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return links
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      return !existsSync(file) || (anchor !== undefined && !anchors(file).includes(anchor));
    });
}

/** What a page names between backticks and means as a path of this repository. */
function namedPaths(page: string): readonly string[] {
  const rooms = globSync("src/*/").map((folder) => folder.replace("src/", ""));
  const tops = ["src", "test", "docs", "bin", "examples", "schemas", "scripts", "bench", ".ci"];
  const names = [...prose(page).matchAll(/`([\w.@-]+(?:\/[\w.@-]*)+)`/g)].map(([, name = ""]) => name);
  return names.filter((name) => [...tops, ...rooms].includes(name.split("/")[0] ?? ""));
}

describe("pages", () => {
  test("there are some", () => expect(pages.length).toBeGreaterThan(15));

  test.each(pages)("the links in %s are alive", (page) => expect(deadLinks(page)).toEqual([]));

  test.each(["ARCHITECTURE.md", "AGENTS.md", "README.md"])("the paths that %s names are there", (page) => {
    const missing = namedPaths(page).filter((name) => !existsSync(name) && !existsSync(join("src", name)));
    expect(missing).toEqual([]);
  });

  test("the pages that the code and its messages refer to are there", () => {
    const sources = globSync(["src/**/*.ts", "scripts/*", "bin/*"]).filter((name) => !name.endsWith(".test.ts"));
    const named = sources.flatMap((name) => readFileSync(name, "utf8").match(/\bdocs\/[\w/-]+\.md\b/g) ?? []);
    expect(named.length).toBeGreaterThan(30);
    expect([...new Set(named)].filter((page) => !existsSync(page))).toEqual([]);
  });

  test("ARCHITECTURE.md tells of every room, and of no other", () => {
    const table = [...prose("ARCHITECTURE.md").matchAll(/^\| `(\w+)\/` /gm)].map(([, name]) => name);
    const rooms = globSync("src/*/").map((folder) => folder.replace(/^src\/|\/$/g, ""));
    expect(table.sort()).toEqual(rooms.sort());
  });
});
