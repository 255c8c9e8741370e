// The page: it asks the module and shows what comes back. It decides nothing.

import { compile, ServalTrap, ServalWorker, type Checked, type Example, type Examples, type Kind, type Request } from "serval-wasm";

import modulePlace from "../../packages/npm/serval.wasm?url";
import { Editor } from "./editor";
import { certificateIn, textOf } from "./files";
import { gallery } from "./gallery";
import { decoded, encoded, MOST_BYTES, type Shared } from "./link";
import { play } from "./play";
import { Report } from "./report";
import { hasEnded, keep, keepTheme, kept, keptTheme } from "./store";
import { Tour } from "./tour";

declare const COMMIT: string;
declare const MODULE: string;

const of = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const status = of("status"), result = of("result"), notice = of("notice");
const buttons = { check: of<HTMLButtonElement>("check"), stop: of<HTMLButtonElement>("stop"), again: of<HTMLButtonElement>("again") };
const strict = of<HTMLInputElement>("strict"), kinds = of<HTMLSelectElement>("kind");

const asked = new URLSearchParams(location.search);
/** Milliseconds after the last key when a text is decided about, and seconds that this may take: `?seconds=60`. */
const PAUSE = 300;
const SECONDS = Number(asked.get("seconds")) > 0 ? Number(asked.get("seconds")) : 20;
/** How long a link is before it says so. */
const LONG_LINK = 2000;

let name = "program.ser";
/** How long a text may be. */
let most = MOST_BYTES;
let decider: ServalWorker | undefined, helper: ServalWorker | undefined;
let checked: Checked | undefined;
let certificate = "";
let round = 0;
let soon: ReturnType<typeof setTimeout> | undefined, sooner: ReturnType<typeof setTimeout> | undefined;
let busy = false;

function say(words: string, look = "") {
  status.textContent = words;
  status.className = `status ${look}`;
}

/** How far the work is: a screen reader, which reads out what is said, is not disturbed by it. */
function progress(words: string) {
  let shown = status.querySelector("span");
  if (!shown) {
    shown = document.createElement("span");
    shown.setAttribute("aria-hidden", "true");
    status.append(" ", shown);
  }
  shown.textContent = words;
}

/** Whether something is still to come for the text as it is: a verdict, or fixes. */
function toCome(something: boolean) {
  result.setAttribute("aria-busy", String(something));
}

function warn(words: string) {
  notice.textContent = words;
  notice.hidden = words === "";
}

function words(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

// --- light and dark

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = of<HTMLSelectElement>("theme");
function paint() {
  document.documentElement.dataset.theme = theme.value || (dark.matches ? "dark" : "light");
}
theme.value = keptTheme();
theme.addEventListener("change", () => {
  keepTheme(theme.value);
  paint();
});
dark.addEventListener("change", paint);
paint();

// --- editor and report

const editor = new Editor(of("editor"), { changed, atLine: (line) => report.atLine(line), ask }, [
  { key: "Mod-Enter", run: () => (void check(), true) },
  { key: "Shift-Alt-f", run: () => (void format(), true) },
]);
const report = new Report(
  of("report"),
  { row: of("steps"), slider: of<HTMLInputElement>("slider"), output: of<HTMLOutputElement>("step") },
  (lines) => editor.light(lines),
);
const tour = new Tour(of("tour"), (text) => open({ text, name: "tour.ser", kind: "ser" }));
const restart = play(of<HTMLDetailsElement>("play"), of("play-body"), () => helper!, request, (lines) => editor.light(lines));

function request(): Request {
  return { text: editor.text, name, kind: kinds.value as Kind, strict: strict.checked };
}

/** What a program is called and is. */
function open(what: { text: string; name: string; kind: string }) {
  name = what.name;
  of("name").textContent = name;
  if (what.kind) kinds.value = what.kind;
  editor.set(what.text);
}

function changed(typed = false) {
  round += 1;
  of("editor").dataset.round = String(round);
  toCome(true);
  if (typed) warn("");
  result.classList.add("old");
  say(checked ? "checking …" : "reading …");
  clearTimeout(soon);
  clearTimeout(sooner);
  sooner = setTimeout(() => void analyze(), 50);
  soon = setTimeout(() => void check(), PAUSE);
  keep({ text: editor.text, name, kind: kinds.value, running: false });
}

/** What the module says about a place; nothing where it cannot be asked. */
async function ask(offset: number) {
  try {
    return helper && kinds.value === "ser" ? await helper.analyze({ ...request(), offset }, { timeout: SECONDS }) : null;
  } catch {
    return null;
  }
}

async function analyze() {
  const mine = round;
  if (!helper || editor.text.length > most) return;
  try {
    const analyzed = await helper.analyze(request(), { timeout: SECONDS });
    if (mine !== round) return;
    editor.show(analyzed);
    const rows = analyzed.diagnostics.map((one) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `line ${editor.lineOf(one.place[0])}: ${one.severity} ${one.code} ${one.message}${one.help ? ` (${one.help})` : ""}`;
      button.addEventListener("click", () => editor.goto(one.place[0]));
      const item = document.createElement("li");
      item.className = one.severity;
      item.append(button);
      return item;
    });
    of("problems").replaceChildren(...rows);
  } catch (error) {
    if (mine === round) warn(words(error));
  }
}

// --- deciding

const LOOKS: Record<string, [string, string]> = {
  serializable: ["good", "serializable"],
  strict: ["good", "strict"],
  safe: ["good", "no step fails"],
  assumed: ["good", "serializable, as assumed"],
  "not-serializable": ["bad", "not serializable"],
  "not-strict": ["bad", "not strict"],
  fault: ["bad", "can fail"],
  unknown: ["open", "undecided"],
  error: ["bad", "error"],
  fine: ["good", "fine"],
  defect: ["bad", "defect"],
  undecided: ["open", "undecided"],
};

function verdict(done: Checked): [string, string] {
  if (done.status === 2) return ["bad", "error: see the problems below the program"];
  if (["ser", "json"].includes(done.kind)) {
    const [only] = done.reports;
    const [look, said] = LOOKS[only?.verdict ?? ""] ?? ["open", only?.verdict ?? "?"];
    const anomaly = only?.counterexample?.anomaly?.replaceAll("-", " ");
    return [look, `${said}${anomaly ? ` · ${anomaly}` : ""}${done.ended && done.status === 3 ? ` (${only?.reason})` : ""}`];
  }
  const look = { 0: "good", 1: "bad", 3: "open" }[done.status as 0 | 1 | 3] ?? "bad";
  if (["tso", "litmus"].includes(done.kind)) return [look, String(done.reports[0]?.robust ?? done.reports[0]?.verdict ?? "?").replaceAll("-", " ")];
  const holds = done.reports.filter((one) => one.answer === "holds").length;
  return [look, `${holds} of ${done.reports.length} questions hold`];
}

async function check() {
  clearTimeout(soon);
  if (!decider) return;
  if (busy) {
    // The work in progress is about a text that is gone; what comes of it is thrown away.
    decider.stop(50);
    soon = setTimeout(() => void check(), 20);
    return;
  }
  const mine = round;
  const text = editor.text;
  if (text.length > most) {
    say(tooLong("The text", text.length), "open");
    result.hidden = true;
    toCome(false);
    return;
  }
  busy = true;
  toCome(true);
  buttons.stop.disabled = false;
  say("checking …");
  keep({ text, name, kind: kinds.value, running: true });
  const began = performance.now();
  try {
    const onProgress = (stage: string, number: number) => {
      if (mine === round) progress(`${stage}${stage === "searching" && number > 0 ? `, ${number}` : ""}`);
    };
    const done = await decider.check({ ...request(), fixes: false, html: true }, { timeout: SECONDS, onProgress });
    if (mine !== round) return;
    const took = Math.round(performance.now() - began);
    show(done, text, took);
    const [certified] = done.certificates;
    if (done.kind === "ser" && done.status === 1 && certified && !done.ended) await hint(certified, mine);
  } catch (error) {
    if (mine !== round && !(error instanceof ServalTrap)) return;
    say(words(error) === "stopped" ? "stopped: nothing is known" : words(error), "open");
    if (error instanceof ServalTrap) warn(`The module has ended (${words(error)}) and was begun anew. If this happens again, serval has a bug.`);
  } finally {
    busy = false;
    buttons.stop.disabled = true;
    if (mine === round) toCome(false);
    keep({ text: editor.text, name, kind: kinds.value, running: false });
  }
}

let wanted = 0;

function show(done: Checked, text: string, took: number) {
  checked = done;
  const [look, said] = verdict(done);
  say(`${said} · ${took} ms`, look);
  result.hidden = false;
  result.classList.remove("old");
  of("fixes").replaceChildren();
  of("checked").textContent = "";
  if (done.html && done.status !== 2) report.show(done.html, wanted);
  else report.clear();
  wanted = 0;
  certificate = done.certificates.find((one) => one !== null) ?? "";
  of("evidence").hidden = certificate === "";
  const [first] = done.reports;
  if (first) tour.hear(first, text);
  restart();
}

async function hint(certified: string, mine: number) {
  say(`${status.textContent ?? ""}; looking for fixes …`, "bad");
  const found = await decider!.hint({ ...request(), certificate: certified }, { timeout: SECONDS });
  if (mine !== round) return;
  const said = (status.textContent ?? "").split(";")[0]!;
  say(`${said}${found.offers.length > 0 ? `; ${found.offers.length === 1 ? "a fix is" : `${found.offers.length} fixes are`} proved` : ""}`, "bad");
  of("fixes").replaceChildren(
    ...found.offers.map((offer, number) => {
      const row = document.createElement("details");
      const summary = document.createElement("summary");
      summary.textContent = `Fix ${number + 1}: ${offer.words}`;
      const diff = document.createElement("pre");
      diff.tabIndex = 0;
      for (const line of offer.diff.split("\n")) {
        const part = document.createElement("span");
        part.className = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
        part.textContent = `${line}\n`;
        diff.append(part);
      }
      const apply = document.createElement("button");
      apply.type = "button";
      apply.textContent = "Apply";
      apply.addEventListener("click", () => editor.set(offer.text));
      row.append(summary, diff, apply);
      return row;
    }),
  );
}

async function format() {
  try {
    const formatted = await helper!.format(request(), { timeout: SECONDS });
    if (formatted.text !== editor.text) editor.set(formatted.text);
  } catch (error) {
    warn(`It is not formatted: ${words(error).split("\n")[0]}`);
  }
}

// --- buttons

buttons.check.addEventListener("click", () => void check());
buttons.stop.addEventListener("click", () => {
  clearTimeout(soon);
  // A worker that does not answer by then is replaced, which takes its time, too.
  decider?.stop(60);
});
of("format").addEventListener("click", () => void format());
of("before").addEventListener("click", () => report.move(-1));
of("after").addEventListener("click", () => report.move(1));
of("tour-open").addEventListener("click", () => tour.begin());
strict.addEventListener("change", () => changed());
kinds.addEventListener("change", () => changed());

function save(text: string, file: string, type: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

of("save").addEventListener("click", () => save(certificate, `${name}.certificate.json`, "application/json"));
/** Has the checker go through a certificate, in the second worker. */
async function verify(certificate: string, certificate_name = "certificate") {
  const tell = (line: string) => (result.hidden || of("evidence").hidden ? warn(line) : (of("checked").textContent = line));
  tell("checking …");
  try {
    const verified = await helper!.verify({ text: editor.text, name, kind: kinds.value as Kind, certificate, certificate_name }, { timeout: SECONDS });
    tell(verified.line);
    if (verified.status === 0) tour.verified();
  } catch (error) {
    tell(words(error));
  }
}

buttons.again.addEventListener("click", () => void verify(certificate));

// --- links

const shared = of<HTMLDialogElement>("shared");
of("share").addEventListener("click", async () => {
  try {
    const fragment = await encoded({ text: editor.text, name, kind: kinds.value, strict: strict.checked, step: report.step });
    const link = `${location.origin}${location.pathname}#${fragment}`;
    of<HTMLInputElement>("link").value = link;
    of("share-words").textContent =
      link.length > LONG_LINK
        ? `The link has ${link.length} characters, which some programs cut off. A file is safer.`
        : "The link holds the text itself; no server sees it.";
    shared.showModal();
    of<HTMLInputElement>("link").select();
  } catch (error) {
    warn(words(error));
  }
});
of("copy").addEventListener("click", () => {
  void navigator.clipboard?.writeText(of<HTMLInputElement>("link").value).then(() => (of("copy").textContent = "Copied"));
});
of("as-file").addEventListener("click", () => save(editor.text, name, "text/plain"));

async function fromLink(): Promise<Shared | null> {
  const fragment = location.hash.slice(1);
  if (!/^v[0-9]+\./.test(fragment)) return null;
  try {
    return await decoded(fragment);
  } catch (error) {
    warn(words(error));
    return null;
  }
}
addEventListener("hashchange", () => {
  warn("");
  void fromLink().then((from) => {
    const named = exampleNamed(exampleAsked());
    if (from) take(from);
    else if (named) open(named);
  });
});

function take(from: Shared) {
  strict.checked = from.strict;
  wanted = from.step;
  open(from);
}

// --- files that are opened or dropped

const tooLong = (what: string, length: number) => `${what} has ${length} bytes, and ${most} are possible here. The command line takes it: serval check FILE`;

async function takeFile(file: File) {
  if (file.size > most) {
    warn(tooLong(file.name, file.size));
    return;
  }
  try {
    const text = textOf(await file.arrayBuffer(), file.name);
    warn("");
    // A certificate is checked against the program that is here.
    if (certificateIn(text)) return await verify(text, file.name);
    const ending = file.name.split(".").at(-1) ?? "";
    open({ text, name: file.name, kind: [...kinds.options].some((one) => one.value === ending) ? ending : "ser" });
  } catch (error) {
    warn(words(error));
  }
}

document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  event.preventDefault();
  void takeFile(file);
});
const file = of<HTMLInputElement>("file");
of("open").addEventListener("click", () => file.click());
file.addEventListener("change", () => {
  const [chosen] = file.files ?? [];
  if (chosen) void takeFile(chosen);
  // The same file can be chosen again.
  file.value = "";
});

// --- beginning

const embedded = asked.has("embed");
let examples: Examples | undefined;
const exampleAsked = () => new URLSearchParams(location.hash.slice(1)).get("example");
const exampleNamed = (wanted: string | null): Example | undefined => examples?.examples.find((one) => one.name === wanted);

/** The module, as it was when the page was built: what a host has altered or cut is no bug of serval. */
async function load() {
  const answer = await fetch(modulePlace);
  if (!answer.ok) throw new Error(`the host has no module (${answer.status})`);
  const bytes = await answer.arrayBuffer();
  if (MODULE && globalThis.crypto?.subtle) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const found = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    if (found !== MODULE) throw new Error("what the host gives is not the module of this page; it was cut short or altered on its way");
  }
  return compile(bytes);
}

async function begin() {
  document.body.classList.toggle("embed", embedded);
  if (typeof WebAssembly !== "object" || typeof Worker !== "function") {
    say("this browser has no WebAssembly or no workers; the command line does the same: serval check FILE", "bad");
    return;
  }
  say("loading …");
  const module = await load();
  const worker = () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  decider = new ServalWorker(module, worker);
  helper = new ServalWorker(module, worker);
  const [defaults, all, version] = await Promise.all([helper.defaults(), helper.examples(), helper.version()]);
  examples = all;
  report.style(defaults.style);
  most = Math.min(defaults.most_bytes, MOST_BYTES);
  kinds.replaceChildren(...defaults.kinds.map((kind) => new Option(`.${kind.ending}, ${kind.words}`, kind.ending)));
  kinds.value = "ser";
  of("foot").textContent = `serval ${version.version}${COMMIT ? ` (${COMMIT})` : ""}: what you type stays in this browser.`;
  const show = gallery(of<HTMLDialogElement>("gallery"), all, (example) => open(example));
  of("gallery-open").addEventListener("click", show);
  await first(all);
  if (embedded) await leave();
}

/** What is shown first: what a link holds, the draft, an example. */
async function first(all: Examples) {
  const from = await fromLink();
  if (from) return take(from);
  const wanted = exampleAsked();
  const draft = wanted || embedded ? null : kept();
  if (draft) {
    const ended = await hasEnded(draft);
    open(draft);
    if (ended) {
      clearTimeout(soon);
      toCome(false);
      say("This is your draft. It was being checked when the page ended, so it is not checked by itself now.", "open");
    }
    return;
  }
  if (wanted && !exampleNamed(wanted)) warn("There is no example of this name. Examples shows those that there are.");
  const one = exampleNamed(wanted) ?? exampleNamed("lost-update.ser") ?? all.examples[0];
  if (one) open(one);
}

/** Within another page: a link to the whole one, with the text as it is. */
async function leave() {
  const link = of<HTMLAnchorElement>("leave");
  const update = async () => {
    link.href = `./#${await encoded({ text: editor.text, name, kind: kinds.value, strict: strict.checked, step: report.step })}`;
  };
  link.hidden = false;
  link.addEventListener("mouseenter", () => void update());
  link.addEventListener("focus", () => void update());
  await update();
}

begin().catch((error: unknown) => {
  say(`The module could not be started: ${words(error)}. The command line does the same: serval check FILE`, "bad");
});

if ("serviceWorker" in navigator && import.meta.env.PROD && !embedded && window.isSecureContext) {
  addEventListener("load", () => void navigator.serviceWorker.register("./offline.js").catch(() => undefined));
}
