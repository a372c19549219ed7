import { describe, expect, test } from "vitest";
import { scriptedModel } from "../testing.ts";
import { house, listener, type Part, routeOf, tool, toolbox } from "./agent-fixture.ts";
import { inbox } from "./session-memory.ts";

const part = (given: Omit<Part, "slot">): Part => ({ slot: "goal", ...given });

describe("a session", () => {
  test("that nobody spoke in leaves nothing in the store, and its end is not told", async () => {
    const events: string[] = [];
    await using home = await house({ parts: [listener(events)] });
    const session = await home.open();
    await session.close("shutdown");
    expect(await home.store.list()).toEqual([]);
    expect(events).toEqual([]);
  });

  test("tells its end once, with Claude's word for the reason", async () => {
    const ends: unknown[] = [];
    await using home = await house({
      script: [{ text: "hi" }],
      parts: [
        part({
          on: {
            on_session_finalize: ({ reason }) => void ends.push(["finalize", reason]),
            session_end: ({ reason }) => void ends.push(["end", reason]),
          },
        }),
      ],
    });
    const session = await home.open();
    await home.turn(session, "Hello.");
    await session.close("shutdown");
    await session.close("shutdown");
    expect(ends).toEqual([
      ["finalize", "shutdown"],
      ["end", "prompt_input_exit"],
    ]);
    expect(await home.turn(session, "Still there?")).toMatchObject({ outcome: "failed", exitReason: "session_closed" });
  });

  test("keeps its system prompt byte for byte over turns and a resume, whatever its sections say later", async () => {
    const built: number[] = [];
    const counting: Part = { slot: "lang", sections: () => [`Section ${built.push(1)}.`] };
    await using home = await house({ script: [{ text: "1" }, { text: "2" }, { text: "3" }], parts: [counting] });
    const session = await home.open();
    await home.turn(session, "one");
    await home.turn(session, "two");
    const again = await home.open(session.id);
    await home.turn(again, "three");
    expect(home.model.requests.map(({ system }) => system)).toEqual(["Section 1.", "Section 1.", "Section 1."]);
    expect(home.model.requests[2]?.messages).toHaveLength(5);
  });

  test("fires session_start on resume, and on_session_start never again", async () => {
    const events: string[] = [];
    const log = (event: string, payload: { source?: string }) =>
      event === "session_start" ? `${event} ${payload.source}` : event;
    await using home = await house({ script: [{ text: "1" }, { text: "2" }], parts: [listener(events, log)] });
    const session = await home.open();
    await home.turn(session, "one");
    await home.turn(await home.open(session.id), "two");
    const starts = events.filter((event) => event.includes("session_start"));
    expect(starts).toEqual(["session_start startup", "on_session_start", "session_start resume"]);
  });

  test("that takes another's place says so", async () => {
    const told: unknown[] = [];
    const watch = part({
      on: {
        on_session_reset: ({ oldSessionId, newSessionId }) => void told.push([oldSessionId, newSessionId]),
        session_start: ({ source }) => void told.push(source),
      },
    });
    await using home = await house({ script: [{ text: "1" }], parts: [watch] });
    const session = await home.agent.open({
      cwd: home.folder,
      source: "test",
      route: routeOf(home.model),
      replaces: "old",
    });
    await home.turn(session, "one");
    expect(told).toEqual([["old", session.id], "clear"]);
  });

  test("keeps what its start told the model when the first prompt was refused", async () => {
    let refuse = true;
    const watch = part({
      on: {
        session_start: () => ({ reminder: ["The branch is main."] }),
        pre_llm_call: () => (refuse ? { verdict: { decision: "deny", reason: "no" } } : undefined),
      },
    });
    await using home = await house({ script: [{ text: "1" }], parts: [watch] });
    const session = await home.open();
    await home.turn(session, "refused");
    refuse = false;
    await home.turn(session, "allowed");
    expect(home.model.requests[0]?.messages.map(({ content }) => content)).toEqual([
      "<system-reminder>\nThe branch is main.\n</system-reminder>",
      "allowed",
    ]);
  });

  test("that another process is using is refused with a reason, and no event fires", async () => {
    const events: string[] = [];
    await using home = await house({ script: [{ text: "1" }, { text: "2" }], parts: [listener(events)] });
    const session = await home.open();
    await home.turn(session, "one");
    events.length = 0;
    await home.store.claim(session.id, "of another");
    const result = await home.turn(session, "two");
    expect(result).toMatchObject({ outcome: "failed", exitReason: "session_busy" });
    expect(result.text).toContain("busy in another process");
    expect(events).toEqual([]);
    await home.store.release(session.id);
    expect(await home.turn(session, "two")).toMatchObject({ outcome: "completed" });
  });

  test("sees what another program added to it", async () => {
    await using home = await house({ script: [{ text: "1" }, { text: "2" }], parts: [toolbox()] });
    const session = await home.open();
    await home.turn(session, "one");
    await home.store.append(session.id, "elsewhere", [
      { role: "user", content: "from elsewhere" },
      { role: "assistant", content: "yes" },
    ]);
    await home.turn(session, "two");
    expect(home.model.requests[1]?.messages.map(({ content }) => content)).toEqual([
      "one",
      "1",
      "from elsewhere",
      "yes",
      "two",
    ]);
  });

  test("changes its model when hooks allow it, and not when they refuse", async () => {
    const seen: string[] = [];
    const gate = part({
      on: {
        pre_model_switch: ({ toModel }) =>
          toModel === "forbidden" ? { verdict: { decision: "deny", reason: "too dear" } } : undefined,
        post_model_switch: ({ fromModel, toModel }) => {
          seen.push(`${fromModel} → ${toModel}`);
          return { reminder: ["You are another model now."] };
        },
      },
    });
    await using home = await house({ script: [{ text: "1" }], parts: [toolbox(), gate] });
    const session = await home.open();
    await home.turn(session, "one");
    await expect(session.useRoute(routeOf(scriptedModel([], { id: "forbidden" })))).rejects.toThrow("too dear");
    const other = scriptedModel([{ text: "2" }], { id: "other" });
    await session.useRoute(routeOf(other));
    await home.turn(session, "two");
    expect(seen).toEqual(["scripted → other"]);
    expect(JSON.stringify(other.requests[0]?.messages)).toContain("You are another model now.");
    expect(await home.store.find(session.id)).toMatchObject({ model: "other" });
  });

  test("tells notes of background work at the next turn, each once", async () => {
    const told: Part = part({
      on: { on_session_end: (_payload, context) => void inbox(context).push({ text: "the build is green" }) },
    });
    await using home = await house({ script: [{ text: "1" }, { text: "2" }], parts: [toolbox(), told] });
    const session = await home.open();
    await home.turn(session, "one");
    await home.turn(session, "two");
    const notes = home.model.requests[1]?.messages.filter(({ content }) => content === "the build is green");
    expect(notes).toHaveLength(1);
  });

  test("survives a surface that throws", async () => {
    await using home = await house({ script: [{ text: "fine" }], parts: [toolbox()] });
    const session = await home.open();
    const surface = {
      emit: () => {
        throw new Error("broken pipe");
      },
    };
    expect(await home.agent.runTurn(session, { content: "Hello." }, surface)).toMatchObject({ outcome: "completed" });
    expect(home.logs.filter((line) => line.includes("broken pipe"))).toHaveLength(1);
  });

  test("whose store is full fails with a reason and goes on when there is room again", async () => {
    let full = false;
    await using home = await house({
      script: [{ text: "1" }, { text: "2" }],
      parts: [toolbox()],
      store: (store) => ({
        ...store,
        append: async (...args) => {
          if (full) throw new Error("the disk is full");
          return store.append(...args);
        },
      }),
    });
    const session = await home.open();
    full = true;
    expect(await home.turn(session, "one")).toMatchObject({ outcome: "failed", text: "the disk is full" });
    full = false;
    expect(await home.turn(session, "two")).toMatchObject({ outcome: "completed", text: "1" });
  });

  test("whose results could not be stored is made whole before its next turn", async () => {
    let failures = 0;
    await using home = await house({
      script: [{ text: "1" }, { text: "2" }, { calls: [{ name: "look" }, { name: "act" }] }, { text: "4" }],
      parts: [toolbox(tool("look"), tool("act"))],
      store: (store) => ({
        ...store,
        append: async (id, turnId, messages) => {
          if (messages.some(({ role }) => role === "tool") && failures++ < 2) throw new Error("the disk is full");
          return store.append(id, turnId, messages);
        },
      }),
    });
    const session = await home.open();
    await home.turn(session, "one");
    await home.turn(session, "two");
    expect(await home.turn(session, "three")).toMatchObject({ outcome: "failed", text: "the disk is full" });
    expect(await home.turn(session, "four")).toMatchObject({ outcome: "completed", text: "4" });
    const told = home.model.requests.at(-1)?.messages.filter(({ role }) => role === "tool");
    expect(told).toMatchObject([
      { toolName: "look", content: expect.stringContaining("unknown") },
      { toolName: "act", content: expect.stringContaining("Not run") },
    ]);
  });

  test("that is being summarised is busy: no turn begins beside it", async () => {
    await using home = await house({ script: [{ text: "1" }], parts: [toolbox()] });
    const session = await home.open();
    await home.turn(session, "one");
    const summing = session.compact(home.surface);
    expect(await home.turn(session, "two")).toMatchObject({
      exitReason: "session_busy",
      text: expect.stringContaining("another turn"),
    });
    await summing;
    home.model.push({ text: "2" });
    expect(await home.turn(session, "two")).toMatchObject({ text: "2" });
  });
});
