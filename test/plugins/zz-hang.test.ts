import { expect, test } from "vitest";
import { say } from "/work/wt/py2/test/hooks/hook-fixture.ts";
import { pluginHome } from "/work/wt/py2/test/plugins/plugin-fixture.ts";
const py = { entry: "__init__.py" };
test.each([["import time\ntime.sleep(500)\n"],["def register(ctx):\n    while True:\n        pass\n"],["import asyncio\nasync def register(ctx):\n    await asyncio.sleep(500)\n"]])("hang %s", async (src) => {
  const home = await pluginHome();
  home.plugin("bad", src, py);
  home.plugin("good", 'def register(ctx):\n    ctx.register_hook("pre_llm_call", lambda **kw: "good is there")\n', py);
  home.plugins("enabled: [bad, good]");
  const t = Date.now();
  const turn = await home.turn({ steps: [say("done")] });
  console.log(Date.now() - t, turn.status, turn.notices, turn.sent.includes("good is there"), home.log().slice(0, 1500));
}, 120000);
