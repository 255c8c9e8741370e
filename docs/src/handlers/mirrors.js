import { first, second } from './mirrors-of-identity.js';

let token = null;

export async function getToken() {
  token ??= Promise.any([first.refresh(), second.refresh()]);
  return await token;
}

export function expire() {
  token = null;
}
