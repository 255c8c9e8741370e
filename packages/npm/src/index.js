// serval for browsers, workers and Node: the module, and workers that can be stopped.

import { Instance, FUNCTIONS, STAGES, ServalError, ServalTrap } from "./instance.js";

export { FUNCTIONS, STAGES, ServalError, ServalTrap };

const isNode = typeof process !== "undefined" && Boolean(process.versions?.node);

/** Where the module is, unless another place is given. */
function place() {
  return new URL("../serval.wasm", import.meta.url);
}

/** The module, compiled. */
export async function compile(source) {
  if (typeof WebAssembly !== "object") {
    throw new ServalError("there is no WebAssembly here; the command line does the same: serval check FILE");
  }
  let given = source ?? place();
  if (given instanceof WebAssembly.Module) return given;
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return WebAssembly.compile(given);
  if (given instanceof Promise) given = await given;
  if (isNode && (given instanceof URL ? given.protocol === "file:" : typeof given === "string" && !/^[a-z]+:/.test(given))) {
    // By a name that bundlers do not follow.
    const files = "node:fs/promises";
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ files);
    return WebAssembly.compile(await readFile(given));
  }
  const response = given instanceof Response ? given : await fetch(given);
  if (!response.ok) throw new ServalError(`the module cannot be loaded: ${response.status} ${response.url}`);
  // A host that does not know the type of the file is no reason to fail.
  return WebAssembly.compile(await response.arrayBuffer());
}

function hostOf(options = {}) {
  const { timeout, signal, onProgress } = options;
  const end = timeout === undefined ? Infinity : performance.now() + timeout * 1000;
  return {
    stop: () => (signal?.aborted ? 1 : performance.now() > end ? 2 : 0),
    tell: onProgress,
  };
}

/** The functions of the module, in this thread. */
export class Serval {
  constructor(module) {
    this.instance = new Instance(module);
  }

  get module() {
    return this.instance.module;
  }
}

for (const name of FUNCTIONS) {
  Serval.prototype[name] = function (request = {}, options = {}) {
    return this.instance.call(name, request, hostOf(options));
  };
}

/** Loads the module into this thread. */
export async function load(source) {
  return new Serval(await compile(source));
}

/** Seconds beyond its time limit after which a worker that is silent is replaced. */
const PATIENCE = 10;

/**
 * The same in a worker, so that this thread goes on: `make` makes the worker, which runs `serval-wasm/worker`. Work that
 * is stopped answers with what is known by then where memory can be shared; elsewhere the worker is replaced.
 */
export class ServalWorker {
  constructor(module, make) {
    this.module = module;
    this.make = make;
    this.waiting = new Map();
    this.next = 1;
    this.begin();
  }

  begin() {
    this.worker = this.make();
    this.flag = typeof SharedArrayBuffer === "function" && (globalThis.crossOriginIsolated ?? true) ? new Int32Array(new SharedArrayBuffer(4)) : null;
    const heard = (message) => this.hear(message);
    // One that ends before its first answer cannot be loaded, and another one could not either.
    this.lives = false;
    const failed = (error) => {
      const reason = new ServalTrap(String(error?.message ?? error ?? "the worker cannot be loaded"), false);
      if (this.lives) this.replace(reason);
      else this.refuse((this.broken = reason));
    };
    if (typeof this.worker.on === "function") {
      this.worker.on("message", heard);
      this.worker.on("error", failed);
    } else {
      this.worker.onmessage = (event) => heard(event.data);
      this.worker.onerror = (event) => failed(event);
    }
    this.worker.postMessage({ module: this.module, flag: this.flag?.buffer });
  }

  hear(message) {
    this.lives = true;
    const asked = this.waiting.get(message.id);
    if (!asked) return;
    if (message.stage) {
      asked.onProgress?.(message.stage, message.number);
      return;
    }
    this.waiting.delete(message.id);
    this.forget(asked);
    if (message.error) {
      const error = message.trap ? new ServalTrap(message.error, message.memory) : new ServalError(message.error);
      asked.reject(error);
    } else {
      asked.resolve(message.answer);
    }
  }

  /** Ends the worker, whatever it does, and makes a new one of the same module. */
  replace(reason) {
    this.worker.terminate();
    this.refuse(reason, () => this.begin());
  }

  /** All that wait get this reason. */
  refuse(reason, before = () => {}) {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    before();
    for (const asked of waiting) {
      this.forget(asked);
      asked.reject(reason);
    }
  }

  forget(asked) {
    clearTimeout(asked.late);
    clearTimeout(asked.silent);
    asked.signal?.removeEventListener("abort", asked.abort);
  }

  /** Has the work in progress end: with what is known, or else with an error. */
  stop(grace = 100) {
    if (this.waiting.size === 0) return;
    const stopped = new ServalError("stopped");
    if (!this.flag) {
      this.replace(stopped);
      return;
    }
    Atomics.store(this.flag, 0, 1);
    for (const asked of this.waiting.values()) {
      asked.late ??= setTimeout(() => this.replace(stopped), grace);
    }
  }

  call(name, request = {}, options = {}) {
    const { timeout, signal, onProgress } = options;
    if (this.broken) return Promise.reject(this.broken);
    return new Promise((resolve, reject) => {
      const id = this.next++;
      if (this.flag && this.waiting.size === 0) Atomics.store(this.flag, 0, 0);
      const abort = () => this.stop();
      const asked = { resolve, reject, onProgress, signal, abort };
      this.waiting.set(id, asked);
      // Timers cannot be longer than 31 bits of milliseconds.
      const patience = (timeout + PATIENCE) * 1000;
      if (patience < 2 ** 31) asked.silent = setTimeout(() => this.replace(new ServalTrap("the worker does not answer", false)), patience);
      signal?.addEventListener("abort", abort, { once: true });
      this.worker.postMessage({ id, name, request, timeout });
    });
  }

  end() {
    this.worker.terminate();
    this.refuse(new ServalError("ended"));
  }
}

for (const name of FUNCTIONS) {
  ServalWorker.prototype[name] = function (request, options) {
    return this.call(name, request, options);
  };
}
