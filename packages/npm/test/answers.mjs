// Answers many requests, one for each line of standard input, `{"function": …, "request": …}`: one line for each.
// Usage: node answers.mjs MODULE < REQUESTS

import { createInterface } from "node:readline";

import { instanceOf } from "./host.mjs";

const instance = await instanceOf(process.argv[2]);
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const asked = JSON.parse(line);
  let answer;
  try {
    answer = { ok: instance.call(asked.function, asked.request) };
  } catch (error) {
    answer = { error: { message: error.message } };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
