// Callers like old integrations, who go on whatever becomes of the new API: each asks for `profiles.json` a second after its
// last answer.
import { setTimeout as pause } from 'node:timers/promises';

const EVERY = 1000;

/** Asks once. `isNew`: the answer is no last known one, which has an age. */
async function ask(port, token) {
  const headers = { 'X-Forwarded-Proto': 'https', Authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${port}/1/profiles.json`, { headers });
  await answer.arrayBuffer();
  const isAnswered = answer.status === 200;
  return { isAnswered, isNew: isAnswered && !answer.headers.has('age') };
}

const NOTHING = { isAnswered: false, isNew: false };

/** One caller for each token. `calls` has every call that is over, with the place of its token in the list. */
export function startCallers(port, tokens) {
  const calls = [];
  const ending = new AbortController();
  const callOn = async (token, at) => {
    await pause((EVERY * at) / tokens.length);
    while (!ending.signal.aborted) {
      const begun = performance.now();
      const answer = await ask(port, token).catch(() => NOTHING);
      calls.push({ at, begun, ended: performance.now(), ...answer });
      await pause(EVERY);
    }
  };
  const all = Promise.all(tokens.map(callOn));
  return {
    calls,
    async stop() {
      ending.abort();
      await all;
    },
  };
}
