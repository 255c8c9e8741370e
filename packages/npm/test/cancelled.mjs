// Stops the work after so many questions of the module, for more and more of them: at every stage there is an answer,
// and the stages follow each other. Usage: node cancelled.mjs MODULE

import { STAGES } from "../src/instance.js";
import { demand, instanceOf } from "./host.mjs";

const instance = await instanceOf(process.argv[2]);

/** The text and the methods of a search that begins with the states of the program. */
const requests = Array.from({ length: 8 }, (_, step) => `request add_${step + 1} { yield; N := (N + ${step + 1}) % 13; N }\n`);
const text = `${"// a long beginning\n".repeat(4000)}${requests.join("")}`;
const request = { text, kind: "ser", methods: ["reduce", "letters"], fixes: false };

function endedAfter(questions) {
  let left = questions;
  let stage = "reading";
  const host = { stop: () => (left-- > 0 ? 0 : 1), tell: (now) => (stage = now) };
  const checked = instance.call("check", request, host);
  // A text is given up at once: nothing more of it is read, so that nothing more is asked.
  demand(stage !== "reading" || left === -1, `after ${questions}: the text is read on, ${-1 - left} times it was asked again`);
  const [{ verdict, reason }] = checked.reports;
  if (verdict === "serializable") return "decided";
  demand(verdict === "unknown" && reason === "stopped" && checked.ended === "stopped" && checked.status === 3, `after ${questions}: ${JSON.stringify(checked)}`);
  return stage;
}

const order = [...STAGES, "decided"];
const seen = new Map();
let last = 0;
for (let questions = 0; last < 4; questions += 1 + (questions >> 3)) {
  demand(questions < 10_000_000, "the work does not end");
  const place = order.indexOf(endedAfter(questions));
  demand(place >= last, `after ${questions} questions it is ${order[place]}, which was over`);
  last = place;
  seen.set(order[place], (seen.get(order[place]) ?? 0) + 1);
}
// In the middle of each, and not only at its beginning.
for (const stage of ["reading", "preparing", "searching"]) demand(seen.get(stage) >= 2, `${stage}: ${seen.get(stage) ?? 0} times`);

// While fixes are looked for the verdict is there already.
const racy = { text: "request add { x := N; yield; N := (x + 1) % 3; N }", kind: "ser" };
let fixing = false;
const checked = instance.call("check", racy, { stop: () => (fixing ? 1 : 0), tell: (stage) => (fixing = stage === "fixing") });
demand(checked.reports[0].verdict === "not-serializable" && checked.status === 1, JSON.stringify(checked.reports[0]));
demand(checked.ended === "stopped" && checked.reports[0].fix?.alternatives?.length === 0, JSON.stringify(checked.reports[0].fix));
process.stdout.write(`stages: ${JSON.stringify(Object.fromEntries(seen))}\n`);
