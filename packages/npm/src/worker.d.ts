/** Answers what comes through this port; a worker that imports this module does so by itself. */
export function serve(port: unknown): void;
