// What runs in a worker: the first message brings the module, each other one a request.

import { Instance, ServalTrap } from "./instance.js";

/** Answers what comes through this port: `self` in browsers, `parentPort` in Node. */
export function serve(port) {
  let instance;
  let flag;
  const told = (message) => port.postMessage(message);
  const heard = ({ module, flag: shared, id, name, request, timeout }) => {
    if (module) {
      flag = shared ? new Int32Array(shared) : null;
      instance = new Instance(module);
      return;
    }
    const end = timeout === undefined ? Infinity : performance.now() + timeout * 1000;
    let last = "";
    const host = {
      stop: () => (flag && Atomics.load(flag, 0) === 1 ? 1 : performance.now() > end ? 2 : 0),
      tell: (stage, number) => {
        // Many steps of the search look alike.
        const words = `${stage} ${number}`;
        if (words !== last) told({ id, stage, number });
        last = words;
      },
    };
    try {
      told({ id, answer: instance.call(name, request, host) });
    } catch (error) {
      told({ id, error: String(error?.message ?? error), trap: error instanceof ServalTrap, memory: error?.memory });
    }
  };
  if (typeof port.on === "function") port.on("message", heard);
  else port.onmessage = (event) => heard(event.data);
}

if (typeof WorkerGlobalScope === "function" && self instanceof WorkerGlobalScope) {
  serve(self);
} else if (typeof process !== "undefined" && process.versions?.node) {
  // By a name that bundlers do not follow.
  const threads = "node:worker_threads";
  const { isMainThread, parentPort } = await import(/* @vite-ignore */ /* webpackIgnore: true */ threads);
  if (!isMainThread && parentPort) serve(parentPort);
}
