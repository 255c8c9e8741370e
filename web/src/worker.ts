import { serve } from "serval-wasm/worker";

// The module that is imported serves by itself in a worker; named here, so that it is not left out as unused.
void serve;
