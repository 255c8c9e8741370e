// Playing a run by hand: what can happen next are buttons, and a line says whether the answers are still serial.

import type { Request, ServalWorker } from "serval-wasm";

export function play(holder: HTMLDetailsElement, body: HTMLElement, worker: () => ServalWorker, request: () => Request, light: (lines: number[]) => void) {
  let choices: number[] = [];
  const say = (words: string) => {
    const line = document.createElement("p");
    line.textContent = words;
    return line;
  };
  const button = (words: string, act: () => void) => {
    const one = document.createElement("button");
    one.type = "button";
    one.textContent = words;
    one.addEventListener("click", act);
    return one;
  };
  const draw = async () => {
    const now = choices;
    let state;
    try {
      state = await worker().simulate({ ...request(), choices: now }, { timeout: 20 });
    } catch (error) {
      body.replaceChildren(say(error instanceof Error ? error.message : String(error)));
      return;
    }
    if (now !== choices) return;
    const happened = document.createElement("ol");
    for (const line of state.happened) {
      const item = document.createElement("li");
      item.textContent = line;
      happened.append(item);
    }
    const moves = document.createElement("div");
    moves.className = "moves";
    state.choices.forEach((choice, position) => {
      const move = button(choice.text, () => {
        choices = [...choices, position];
        void draw();
      });
      if (choice.line !== null) {
        const line = choice.line;
        move.addEventListener("focus", () => light([line]));
        move.addEventListener("mouseenter", () => light([line]));
      }
      moves.append(move);
    });
    const manage = document.createElement("div");
    manage.className = "moves";
    const undo = button("Take back", () => {
      choices = choices.slice(0, -1);
      void draw();
    });
    undo.disabled = choices.length === 0;
    manage.append(undo, button("Begin again", () => {
      choices = [];
      void draw();
    }));
    const order = state.order.map(([name, answer]) => `${name} → ${answer}`).join(", then ");
    const serial = {
      yes: order ? `Serial so far: one at a time, ${order} gives these answers.` : "No request has answered yet.",
      no: "Not serial: no order of these requests, one at a time, gives the answers so far.",
      unknown: "There are too many orders to try.",
    }[state.serial];
    const verdict = say(serial);
    verdict.setAttribute("role", "status");
    verdict.id = "serial";
    const parts = [say("Choose what happens next:"), moves, manage, verdict, happened];
    if (state.globals) parts.push(say(`Now: ${state.globals}`));
    if (state.fails) parts.push(say(`Fails: ${state.fails}`));
    body.replaceChildren(...parts);
    body.dataset.choices = String(now.length);
  };
  holder.addEventListener("toggle", () => {
    if (holder.open) void draw();
  });
  return () => {
    choices = [];
    if (holder.open) void draw();
  };
}
