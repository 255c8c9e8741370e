// The border of the module: a request goes in as JSON, an answer comes back as JSON.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The names of the functions of the module. */
export const FUNCTIONS = [
  "check", "hint", "fix", "verify", "format", "analyze", "simulate", "export", "explain", "examples", "defaults", "version",
];

/** What the work is at, by the numbers that the module tells. */
export const STAGES = ["reading", "preparing", "searching", "fixing"];

/** A request that the module cannot answer: a mistake of the caller, or a text that is none. */
export class ServalError extends Error {
  constructor(message) {
    super(message);
    this.name = "ServalError";
  }
}

/** The module has ended in the middle of the work: a bug in serval, or no memory was left. */
export class ServalTrap extends Error {
  constructor(message, memory) {
    super(message);
    this.name = "ServalTrap";
    /** Whether there was no memory left. */
    this.memory = memory;
  }
}

/** The module gives up a text that it was reading; the reason is one that `stop` says. */
class Left extends Error {
  constructor(reason) {
    super("stopped");
    this.reason = reason;
  }
}

/** An instance of the module. After a trap it is replaced by a new one. */
export class Instance {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
    this.renew();
  }

  renew() {
    this.host = {};
    this.message = "";
    const serval = {
      stop: () => (this.host.stop ? this.host.stop() : 0),
      tell: (stage, number) => this.host.tell?.(STAGES[stage] ?? "searching", number),
      // Through all that is at work in the instance, which is never called again.
      leave: (reason) => {
        throw new Left(reason);
      },
      trouble: (at, length) => {
        this.message = decoder.decode(new Uint8Array(this.exports.memory.buffer, at >>> 0, length >>> 0));
      },
    };
    this.exports = new WebAssembly.Instance(this.module, { serval }).exports;
  }

  /** Bytes of memory that the instance has. */
  get memory() {
    return this.exports.memory.buffer.byteLength;
  }

  /**
   * The answer of a function.
   * @param {string} name
   * @param {object} request
   * @param {{stop?: () => number, tell?: (stage: string, number: number) => void}} host
   */
  call(name, request = {}, host = {}) {
    if (!FUNCTIONS.includes(name)) throw new ServalError(`there is no function ${name}`);
    let answer;
    try {
      this.host = host;
      const bytes = encoder.encode(JSON.stringify(request));
      const at = this.exports.input(bytes.length) >>> 0;
      new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
      const length = this.exports[name]() >>> 0;
      answer = decoder.decode(new Uint8Array(this.exports.memory.buffer, this.exports.output() >>> 0, length));
    } catch (error) {
      if (error instanceof Left) {
        this.renew();
        // Nothing is read then, and the answer says what ended it.
        return this.call(name, request, { ...host, stop: () => error.reason });
      }
      const memory = this.isFull();
      const message = this.message || String(error?.message ?? error);
      this.renew();
      // An empty budget of memory ends the work at its first look at it, with a report that says so.
      if (memory && name === "check" && request.memory !== 0) return this.call(name, { ...request, memory: 0 }, host);
      throw new ServalTrap(memory ? "memory: there is none left" : message, memory);
    } finally {
      this.host = {};
    }
    const read = JSON.parse(answer);
    if (read.error) throw new ServalError(read.error.message);
    return read.ok;
  }

  /** Whether memory cannot grow any more. */
  isFull() {
    try {
      this.exports.memory.grow(16);
      return false;
    } catch {
      return true;
    }
  }
}
