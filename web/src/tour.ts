// A tour of five steps: each says what to do and sees by the report when it is done.

import type { Report } from "serval-wasm";

interface Step {
  title: string;
  words: string;
  /** What the editor holds when the step begins; the text that is there where there is none. */
  text?: string;
  done: (report: Report, text: string) => boolean;
}

const SAVE = `var Balance: 0..2 := 2

request withdraw {
  seen := Balance;
  if (seen == 0) { return 0 };
  yield;                 // the bank is asked; another request can run here
  Balance := seen - 1;
  1
}
`;

const STEPS: Step[] = [
  {
    title: "Two withdrawals",
    words: "A handler reads, waits, and writes back what it has computed. Look at the run on the right: move along its steps with the slider or the arrow keys.",
    text: SAVE,
    done: (report) => report.verdict === "not-serializable",
  },
  {
    title: "Without the pause",
    words: "Remove the line with `yield`. Nothing can come between reading and writing then, and the verdict is a proof for any number of requests.",
    done: (report, text) => report.verdict === "serializable" && !/yield;/.test(text),
  },
  {
    title: "With the pause, and checked again",
    words: "The pause has to stay: the bank must be asked. Put it back, and write `Balance -= 1` instead of `Balance := seen - 1`. It is still not serializable: what was tested is no longer true behind the pause.",
    text: SAVE,
    done: (report, text) => report.verdict !== "serializable" && /Balance\s*-=\s*1/.test(text),
  },
  {
    title: "A lock",
    words: "Take a lock before reading and release it before answering: `lock(M);` as the first statement, and `unlock(M);` before each answer. Or press one of the buttons of the fixes.",
    done: (report, text) => report.verdict === "serializable" && /yield;/.test(text),
  },
  {
    title: "Believe nothing",
    words: "The proof is a certificate. Press “Check it again”: the independent checker goes through it in another worker. Then you are done.",
    done: () => false,
  },
];

export class Tour {
  private at = -1;
  private done = false;
  constructor(private readonly holder: HTMLElement, private readonly open: (text: string) => void) {}

  get active() {
    return this.at >= 0;
  }

  begin() {
    this.go(0);
  }

  private go(at: number) {
    this.at = at;
    this.done = false;
    const step = STEPS[at];
    if (step?.text) this.open(step.text);
    this.draw();
  }

  private draw() {
    const step = STEPS[this.at];
    this.holder.hidden = !step;
    if (!step) return;
    const title = document.createElement("h3");
    title.textContent = `${this.at + 1} of ${STEPS.length}: ${step.title}`;
    const words = document.createElement("p");
    words.textContent = step.words;
    const state = document.createElement("p");
    state.setAttribute("role", "status");
    state.textContent = this.done ? "Done." : "";
    const row = document.createElement("p");
    const button = (text: string, act: () => void) => {
      const one = document.createElement("button");
      one.type = "button";
      one.textContent = text;
      one.addEventListener("click", act);
      row.append(one, " ");
      return one;
    };
    if (this.at + 1 < STEPS.length) button("Next", () => this.go(this.at + 1)).disabled = !this.done;
    button(this.at + 1 < STEPS.length ? "Leave the tour" : "Finish", () => {
      this.at = -1;
      this.draw();
    });
    this.holder.replaceChildren(title, words, state, row);
  }

  /** A report has come. */
  hear(report: Report, text: string) {
    const step = STEPS[this.at];
    if (!step || this.done || !step.done(report, text)) return;
    this.done = true;
    this.draw();
  }

  /** The certificate was checked again. */
  verified() {
    if (this.at !== STEPS.length - 1) return;
    this.done = true;
    this.draw();
  }
}
