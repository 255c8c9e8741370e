/** What a text is: the ending of its files. */
export type Kind = "ser" | "json" | "tso" | "litmus" | "pnml" | "net" | "spec" | "vass";
/** What the work is at. */
export type Stage = "reading" | "preparing" | "searching" | "fixing";
/** What has ended the work from outside. */
export type Ended = "stopped" | "time" | "memory";

/** What is asked; each function takes what concerns it, and `defaults()` says what the rest is. */
export interface Request {
  text?: string;
  /** Where it is absent the ending of the name tells, and else the text. */
  kind?: Kind;
  name?: string;
  format?: string;
  strict?: boolean;
  only_faults?: boolean;
  fixes?: boolean;
  verbose?: boolean;
  html?: boolean;
  expected?: boolean;
  methods?: string[];
  seed?: number;
  keep?: number[];
  lock?: string;
  allow?: string[];
  questions?: string[];
  from?: string;
  copies?: number;
  certificate?: string;
  certificate_name?: string;
  offset?: number;
  choices?: number[];
  component?: number;
  max_states?: number;
  width?: number;
  indent?: number;
  line_width?: number;
  memory?: number;
}

/** How long a call may take, and who hears of it. */
export interface Options {
  /** Seconds. */
  timeout?: number;
  signal?: AbortSignal;
  onProgress?: (stage: Stage, number: number) => void;
}

/** A report, as the schemas in `docs` of serval have it. */
export interface Report {
  schema?: number;
  file?: string;
  verdict?: string;
  method?: string;
  reason?: string;
  answer?: string;
  question?: string;
  counterexample?: { steps: unknown[]; requests: { id: number; request: string; response: string }[]; anomaly?: string; [other: string]: unknown };
  [other: string]: unknown;
}

export interface Checked {
  kind: Kind;
  /** The exit status of the binary: 0 all is well, 1 it is not, 2 the text cannot be used, 3 undecided, 4 a bug. */
  status: 0 | 1 | 2 | 3 | 4;
  /** One, and of nets one for each question. */
  reports: Report[];
  /** The evidence for each, where there is some. */
  certificates: (string | null)[];
  /** What the binary prints, in the wanted format. */
  output: string;
  /** What it prints beside that. */
  messages: string;
  /** The report as elements of a page, if that was wanted. */
  html: string | null;
  ended: Ended | null;
}

export interface Fixed {
  status: number;
  report: Report;
  output: string;
  texts: string[];
  ended: Ended | null;
}

export interface Hint {
  outcome: "found" | "none" | "not-needed" | "unknown";
  reason: string | null;
  offers: { words: string; diff: string; text: string }[];
  ended: Ended | null;
}

export interface Verified {
  /** 0 where the claim is proved. */
  status: number;
  line: string;
  ended: Ended | null;
}

export interface Diagnostic {
  /** Begin and end, in units of UTF-16. */
  place: [number, number];
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  label: string;
  related: { place: [number, number]; text: string }[];
  expected: string | null;
  notes: string[];
  help: string | null;
  /** What does as the help says. */
  edits: Change[];
}

export interface Change {
  place: [number, number];
  text: string;
}

export interface Analyzed {
  kind: Kind;
  diagnostics: Diagnostic[];
  tokens: [number, number, string][];
  /** About the place that was asked for, in Markdown. */
  hover: { place: [number, number]; markdown: string } | null;
  proposals: { label: string; detail: string; place: [number, number]; snippet: string }[];
}

export interface Simulated {
  happened: string[];
  events: unknown[];
  choices: { kind: "spawn" | "step" | "respond"; text: string; line: number | null }[];
  globals: string;
  waiting: string[];
  answers: [string, string][];
  fails: string | null;
  serial: "yes" | "no" | "unknown";
  order: [string, string][];
}

export interface Exported {
  text: string;
  warning: string | null;
}

export interface Explained {
  text: string | null;
  pages: [string, string][];
}

export interface Example {
  name: string;
  group: string;
  kind: Kind;
  expects: string;
  story: string;
  text: string;
}

export interface Examples {
  groups: { name: string; title: string; about: string }[];
  examples: Example[];
}

export interface Defaults {
  request: Required<Request>;
  kinds: { ending: Kind; words: string }[];
  methods: string[];
  most_bytes: number;
  style: string;
}

export interface Version {
  version: string;
  nets: boolean;
  weak_memory: boolean;
}

interface Functions {
  check: Checked;
  hint: Hint;
  fix: Fixed;
  verify: Verified;
  format: { text: string };
  analyze: Analyzed;
  simulate: Simulated;
  export: Exported;
  explain: Explained;
  examples: Examples;
  defaults: Defaults;
  version: Version;
}

/** The functions of the module, in this thread. */
export type Serval = { readonly module: WebAssembly.Module } & {
  [Name in keyof Functions]: (request?: Request, options?: Options) => Functions[Name];
};

/** Where the module comes from: a place, its bytes, or the module itself. */
export type Source = string | URL | ArrayBuffer | ArrayBufferView | Response | Promise<Response> | WebAssembly.Module;

export const FUNCTIONS: (keyof Functions)[];
export const STAGES: Stage[];

/** A request that the module cannot answer. */
export class ServalError extends Error {}
/** The module has ended in the middle of the work; the next call has a new instance. */
export class ServalTrap extends Error {
  memory: boolean;
}

export function compile(source?: Source): Promise<WebAssembly.Module>;
export function load(source?: Source): Promise<Serval>;

type Asynchronous = {
  [Name in keyof Functions]: (request?: Request, options?: Options) => Promise<Functions[Name]>;
};

/** The same in a worker that `make` makes, which runs `serval-wasm/worker`. */
export interface ServalWorker extends Asynchronous {
  readonly module: WebAssembly.Module;
  /** Has the work in progress end, with what is known or with an error. */
  stop(grace?: number): void;
  /** Ends the worker, whatever it does, and makes a new one. */
  replace(reason: Error): void;
  end(): void;
}
export const ServalWorker: new (module: WebAssembly.Module, make: () => unknown) => ServalWorker;
