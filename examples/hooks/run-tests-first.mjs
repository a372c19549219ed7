#!/usr/bin/env node
// Sends the agent back to work as long as its last words do not speak of tests (Stop).
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { stop_hook_active: again, last_assistant_message: said } = JSON.parse(text);
if (!again && !/test/i.test(said)) {
  console.log(JSON.stringify({ decision: "block", reason: "Run the tests and say how they ended." }));
}
