import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { pluginHome } from "./plugin-fixture.ts";

const pixel = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=";
const look = { calls: [{ name: "vision_analyze", args: { image_url: pixel, question: "what colour?" } }] };

test("a picture is looked at by the model that the configuration names for it", async () => {
  const home = await pluginHome();
  home.write(
    "~/.talaria/config.yaml",
    `${home.read("~/.talaria/config.yaml")}auxiliary:\n  vision:\n    model: eyes\n`,
  );
  const turn = await home.turn({ steps: [look, say("it is black"), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(JSON.parse(turn.results[0] ?? "")).toMatchObject({ success: true, analysis: "it is black" });
  const bodies = home.server.requests.map(({ body }) => body as { readonly model: string });
  expect(bodies.at(-2)?.model).toBe("eyes");
  expect(JSON.stringify(bodies.at(-2))).toContain("R0lGODlhAQABAAAAACw");
  expect(JSON.stringify(bodies.at(-2))).toContain("what colour?");
  expect(bodies.at(-1)?.model).not.toBe("eyes");
});
