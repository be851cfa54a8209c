// The stand-in for the new API, and a bridge that asks it at every call.
import { tokenOf } from '../rows.mjs';

/** An access token for longer than a benchmark, or the shortest that the bridge believes. */
export const LONG = 86_400;
export const SHORT = 1;

/** Starts the stand-in. */
export const startNewApi = (stage, lifetime) => stage.peer('new API', 'new-api.mjs', [String(lifetime)]);

/** The settings of a bridge that has a pair for each token, and serves an answer again for so many seconds. */
export function fillAsking(stage, name, { api, wanted, fresh = 0 }) {
  const url = `http://127.0.0.1:${api.ports[0]}`;
  const env = { MODERN_AUTH_URL: url, MODERN_API_URL: url, PROFILES_FRESH_SECONDS: String(fresh) };
  return stage.filled(name, wanted, env);
}

/** How many refreshes and reads the stand-in has answered. */
export async function countsOf({ ports: [port] }) {
  const answer = await fetch(`http://127.0.0.1:${port}/counts`);
  return answer.json();
}

/** The lines of a file of tokens. */
export const tokensBetween = (from, to) =>
  Array.from({ length: to - from }, (_, offset) => tokenOf(from + offset)).join('\n');
