import { identity } from './identity.js';

let pending = null;

async function refresh() {
  const token = await identity.refresh();
  return token;
}

export async function getToken() {
  pending ??= refresh();
  return await pending;
}

export function expire() {
  pending = null;
}
