import { setTimeout as delay } from 'node:timers/promises';
import { ANSWERS_SPEAK } from '../../../src/shared/lifetimes.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { until } from '../../support/servers/held-answer.ts';
import { openLine, type SeverableLine } from '../../support/servers/severable-line.ts';

/** After an outage every grant is refreshed soon, no matter how long the outage took. */

const GRANTS = 50;
const RECOVERS_WITHIN = 30_000;
const QUIET = 10_000;
/** Longer than an answer is waited for. The breaker on lost answers would stop everything for a minute after that. */
const OUTAGE = 25_000;

let system: System;
let line: SeverableLine;
const tokens: string[] = [];

beforeAll(async () => {
  const port = await freePort();
  const env = {
    PROFILES_FRESH_SECONDS: '0',
    LEGACY_RATE_LIMIT: '0',
    IN_DOUBT_QUIET_SECONDS: String(QUIET / 1000),
  };
  // With introspection, so that a doubt ends well beside the other grants of the account.
  system = await startSystem({
    env,
    issuer: `http://127.0.0.1:${port}`,
    clientSecret: 'a-secret-of-the-tests',
  });
  line = await openLine(port, Number(new URL(system.proxy.origin).port));
  while (tokens.length < GRANTS) {
    const app = await system.registerApp(`https://app-${tokens.length}.example/callback`);
    tokens.push(await issueToken(system, { app }));
  }
  await Promise.all(tokens.map(profiles));
});

afterAll(async () => {
  await line.close();
  await system.stop();
});

const profiles = (token: string) => read(system, '/1/profiles.json', token);
const grants = () => system.bridge.context.store.durable;

/** The back-off of each grant is as after an outage of hours. */
async function wearOut(): Promise<void> {
  const ended = { access_expires_at: 0, refresh_at: 0, attempts: 15 };
  await grants().updateTable('grants').set(ended).execute();
}

async function callFor(ms: number): Promise<void> {
  const end = performance.now() + ms;
  const call = async (token: string) => {
    while (performance.now() < end) {
      await profiles(token);
      await delay(500);
    }
  };
  await Promise.all(tokens.map(call));
}

async function timesToBeBack(limit: number): Promise<number[]> {
  const begun = performance.now();
  const one = async (token: string) => {
    await until(async () => {
      const { status, headers } = await profiles(token);
      await delay(200);
      return status === 200 && headers['age'] === undefined;
    }, limit);
    return Math.round(performance.now() - begun);
  };
  return (await Promise.all(tokens.map(one))).toSorted((a, b) => a - b);
}

const print = (what: string, took: readonly number[]) =>
  process.stderr.write(
    `${what}: ${GRANTS} grants are back after ${took.at(-1)} ms, half of them after ${took[GRANTS / 2]} ms\n`,
  );

test('connections were refused: nothing was sent, and all are back within half a minute', async () => {
  await wearOut();
  await line.refuse();
  await callFor(OUTAGE);
  await line.mend();
  print('refused', await timesToBeBack(RECOVERS_WITHIN));
  system.proxy.assertNoRefreshTokenTwice();
}, 300_000);

test('answers vanished: five grants were in doubt, and all are back within the quiet time and a minute', async () => {
  await wearOut();
  // Good answers of the last seconds would let more than five begin.
  await delay(ANSWERS_SPEAK);
  line.swallow();
  await callFor(OUTAGE);
  const inDoubt = await grants().selectFrom('grants').select('id').where('state', '=', 'in_doubt').execute();
  expect(inDoubt.length).toBeGreaterThan(0);
  expect(inDoubt.length).toBeLessThanOrEqual(5);
  await line.mend();
  print(`vanished, ${inDoubt.length} in doubt`, await timesToBeBack(QUIET + 60_000));
}, 300_000);
