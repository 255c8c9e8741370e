import { identity } from './identity.js';

let token = null;

export async function getToken() {
  if (token === null) token = await identity.refresh();
  return token;
}

export function expire() {
  token = null;
}
