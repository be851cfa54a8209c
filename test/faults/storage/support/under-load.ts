import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '../../../support/bridge/system.ts';
import { CookieWalker } from '../../../support/callers/cookie-walker.ts';
import { issueToken } from '../../../support/callers/legacy-calls.ts';
import { until } from '../../../support/servers/held-answer.ts';
import type { SteadyCallers } from './steady-callers.ts';

/** A bridge whose callers read and whose grants are refreshed all the time, and what it must look like afterwards. */

const CALLERS = 12;
/** Nothing stands in for an answer, and every read asks the new API. */
export const LOAD_SETTINGS = {
  PROFILES_FRESH_SECONDS: '0',
  PROFILES_STALE_SECONDS: '0',
  LEGACY_RATE_LIMIT: '0',
};
export const RECOVERS_WITHIN = 30_000;

export const print = (text: string) => process.stderr.write(`    ${text}\n`);

/** The tokens of as many apps as there are callers. */
export async function connectCallers(system: System): Promise<string[]> {
  const browser = new CookieWalker();
  const tokens: string[] = [];
  while (tokens.length < CALLERS) {
    const app = await system.registerApp(`https://app-${tokens.length}.example/callback`);
    tokens.push(await issueToken(system, { app, browser }));
  }
  return tokens;
}

/** Lets every access token be over again and again, so that refreshes are under way all the time. */
export function expireSteadily({ bridge }: System): () => Promise<void> {
  const ended = new AbortController();
  const running = (async () => {
    while (!ended.signal.aborted) {
      await bridge.context.store.durable
        .updateTable('grants')
        .set({ access_expires_at: 0, refresh_at: 0 })
        .where('state', '=', 'ready')
        .execute()
        .catch(() => undefined);
      await delay(200);
    }
  })();
  return () => {
    ended.abort();
    return running;
  };
}

/** How long this takes, in milliseconds. @throws {Error} it takes longer than callers are promised */
export async function timeRecovery(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  const timer = delay(RECOVERS_WITHIN).then(() => {
    throw new Error('not every caller was served again');
  });
  await Promise.race([work(), timer]);
  timer.catch(() => undefined);
  return Math.round(performance.now() - begun);
}

/** Every grant serves, no pair waits in the spill, and no refresh token was presented twice. */
export async function expectWhole(system: System): Promise<void> {
  const { context } = system.bridge;
  const states = async () => {
    const rows = await context.store.durable.selectFrom('grants').select('state').execute();
    return [...new Set(rows.map(({ state }) => state))].join();
  };
  await until(async () => (await states()) === 'ready', RECOVERS_WITHIN);
  expect((await context.spill.list()).entries).toEqual([]);
  system.proxy.assertNoRefreshTokenTwice();
}

/** What callers were answered, for people. */
export const answersOf = ({ statuses }: SteadyCallers) =>
  [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
