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
    const failed = (error) => this.replace(new ServalTrap(String(error?.message ?? error), false));
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
    const asked = this.waiting.get(message.id);
    if (!asked) return;
    if (message.stage) {
      asked.onProgress?.(message.stage, message.number);
      return;
    }
    this.waiting.delete(message.id);
    clearTimeout(asked.late);
    asked.signal?.removeEventListener("abort", asked.abort);
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
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.begin();
    for (const asked of waiting) {
      clearTimeout(asked.late);
      asked.signal?.removeEventListener("abort", asked.abort);
      asked.reject(reason);
    }
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
    return new Promise((resolve, reject) => {
      const id = this.next++;
      if (this.flag && this.waiting.size === 0) Atomics.store(this.flag, 0, 0);
      const abort = () => this.stop();
      this.waiting.set(id, { resolve, reject, onProgress, signal, abort });
      signal?.addEventListener("abort", abort, { once: true });
      this.worker.postMessage({ id, name, request, timeout });
    });
  }

  end() {
    this.worker.terminate();
    for (const asked of this.waiting.values()) asked.reject(new ServalError("ended"));
    this.waiting.clear();
  }
}

for (const name of FUNCTIONS) {
  ServalWorker.prototype[name] = function (request, options) {
    return this.call(name, request, options);
  };
}
