import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrate } from "./migrations.ts";
import { openSqliteStore } from "./store.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "journal-"));
  file = join(folder, "state.db");
});
afterEach(() => rm(folder, { recursive: true }));

const session = { id: "s", source: "cli", cwd: "/", model: "m", provider: "p" };
const self = async () => ({ pid: 1, start: "1", boot: "b" });

test("a claim that could not be released does not keep its own process out", async () => {
  const store = await openSqliteStore({ file, patienceMs: 50 });
  await store.create(session);
  expect(await store.claim("s", "t1")).toBe(true);
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  await expect(store.release("s")).rejects.toMatchObject({ code: "busy" });
  other.exec("COMMIT");
  other.close();
  expect(await store.claim("s", "t2")).toBe(true);
  await store.close();
});

test("of two that find a dead process's claim at the same time one gets it", async () => {
  const dead = await openSqliteStore({ file });
  await dead.create(session);
  await dead.claim("s", "t0");
  const quick = await openSqliteStore({ file, processes: { self, isAlive: async () => false } });
  let asked = 0;
  const slow = await openSqliteStore({
    file,
    processes: {
      self,
      isAlive: async () => {
        if (asked++ > 0) return true;
        expect(await quick.claim("s", "t1")).toBe(true);
        return false;
      },
    },
  });
  expect(await slow.claim("s", "t2")).toBe(false);
  expect(asked).toBe(2);
  for (const store of [dead, quick, slow]) await store.close();
});

test("a database that another process makes up to date in the same moment is left as that made it", () => {
  const one = new DatabaseSync(file);
  const other = new DatabaseSync(file);
  let raced = 0;
  const late = new Proxy(one, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key !== "exec") return typeof value === "function" ? value.bind(target) : value;
      return (text: string) => {
        if (text === "BEGIN IMMEDIATE" && raced++ === 0) migrate(other, file);
        target.exec(text);
      };
    },
  });
  migrate(late, file);
  expect(raced).toBe(1);
  expect(one.prepare("SELECT count(*) AS count FROM talaria_schema").get()).toEqual({ count: 1 });
  one.close();
  other.close();
});
