import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { registerApp } from '../../src/domain/apps/register-app.ts';
import { authorize, type LegacyApp } from '../support/callers/authorize.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { exchangeFields, tokenOf } from '../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { modeDatabases, testMode } from '../support/jest/test-mode.ts';
import { type Bridges, startBridges } from './bridges.ts';
import { exchangeAt, expireGrants, nth, print } from './calls.ts';

/**
 * A whole rotation of keys under 200 calls a second on two workers: no call fails, and commands
 * that are killed at random and run again end the same.
 */

const program = resolve(import.meta.dirname, '../../dist/program/cli.js');

const APPS = 8;
const CALLS_PER_SECOND = 200;
const TURN = 50;

interface Connected {
  app: LegacyApp;
  token: string;
  ownerToken: string;
}

type RegisteredApp = LegacyApp & { ownerToken: string };

async function register({ context }: Bridges, number: number): Promise<RegisteredApp> {
  const callback = `https://app-${number}.example/callback`;
  const registration = {
    name: `App ${number}`,
    callbacks: [callback],
    owner: 'owner@old-app.example',
    actor: 'test',
    requestId: null,
  };
  const registered = await registerApp(context, registration);
  if (!registered) throw new Error('a registration without a fixed id is never refused as known');
  return { ...registered, callback };
}

async function connect(bridges: Bridges, app: RegisteredApp, browser: CookieWalker): Promise<Connected> {
  const first = nth(bridges, 0);
  const { code } = await authorize({ bridgeUrl: first.url, app, person: bridges.person, browser });
  const token = tokenOf(await exchangeAt(first, app, decodeURIComponent(code ?? '')));
  return { app, token, ownerToken: app.ownerToken };
}

const bearer = (token: string) => ({
  path: '/1/user.json',
  headers: { authorization: `Bearer ${token}` },
});

interface Failure {
  what: string;
  status: number;
  body: string;
}

/** Calls of every kind, evenly in time whatever they take, until it is stopped; what was not answered as it should be. */
function startLoad(bridges: Bridges, connected: readonly Connected[]) {
  const { url } = nth(bridges, 0);
  const failures: Failure[] = [];
  const tokens = connected.map(({ token }) => token);
  const running = new Set<Promise<void>>();
  let calls = 0;
  const expectStatus = async (what: string, sending: ReturnType<typeof sendRaw>, status: number) => {
    const answer = await sending.catch((error: unknown) => ({ status: 0, text: String(error) }));
    if (answer.status !== status)
      failures.push({ what, status: answer.status, body: JSON.stringify(answer) });
  };
  const oneCall = (number: number): Promise<void> => {
    const { app, ownerToken } = connected[number % connected.length] as Connected;
    if (number % 51 === 7) return expectStatus('a waiting token', sendRaw(url, bearer(ownerToken)), 401);
    if (number % 51 === 23) {
      const body = new URLSearchParams(exchangeFields(app, `1/${'x'.repeat(32)}`)).toString();
      const request = { method: 'POST' as const, path: '/1/oauth2/token.json', ...rawForm(body) };
      return expectStatus('an unknown code of a known client', sendRaw(url, request), 400);
    }
    return expectStatus('a read', sendRaw(url, bearer(tokens[number % tokens.length] ?? '')), 200);
  };
  const timer = setInterval(() => {
    for (let n = 0; n < (CALLS_PER_SECOND * TURN) / 1000; n += 1) {
      const call = oneCall((calls += 1)).finally(() => running.delete(call));
      running.add(call);
    }
  }, TURN);
  const flow = { isStopped: false, done: 0 };
  const wholeFlows = async () => {
    // Consent in the pages, exchange, read: one after the other, for as long as the rotation takes.
    for (; !flow.isStopped; flow.done += 1) {
      const { app } = connected[flow.done % connected.length] as Connected;
      const { token } = await connect(bridges, app as RegisteredApp, new CookieWalker());
      tokens.push(token);
    }
  };
  const flowing = wholeFlows().catch((error: unknown) => {
    failures.push({ what: 'a whole flow', status: 0, body: String(error) });
  });
  return async () => {
    clearInterval(timer);
    flow.isStopped = true;
    await Promise.all([flowing, ...running]);
    return { calls, flows: flow.done, failures };
  };
}

/** Runs an operator's command; killed after the given time, as `kill -9` would. */
async function keys(bridges: Bridges, args: readonly string[], killAfter?: number) {
  const child = spawn(process.execPath, [program, 'keys', ...args, '--json'], {
    env: { PATH: process.env['PATH'], ...bridges.settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, complaints] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(timer);
  return { code, signal, output, complaints };
}

/** How long such a command takes, at most; what is killed after a random part of it has usually not ended. */
const COMMAND_TAKES = 600;

/** Runs a step to its end, after that many runs of it that were killed. */
async function step(
  bridges: Bridges,
  args: readonly string[],
  kills: number,
): Promise<Record<string, unknown>> {
  for (let struck = 0; struck < kills; ) {
    const { signal } = await keys(bridges, args, 150 + Math.random() * COMMAND_TAKES);
    if (signal === 'SIGKILL') struck += 1;
  }
  const { code, output, complaints } = await keys(bridges, args);
  expect({ args, code, complaints: code === 0 ? '' : complaints }).toEqual({ args, code: 0, complaints: '' });
  return JSON.parse(output) as Record<string, unknown>;
}

interface Listed {
  purpose: string;
  id: string;
  state: string;
  usage: Array<{ what: string; count: number }>;
}

async function listed(bridges: Bridges): Promise<Listed[]> {
  return (await step(bridges, ['list'], 0))['keys'] as Listed[];
}

/** Until nothing but the history stands on the first key: every token and secret was seen once more by then. */
async function untilUnused(bridges: Bridges): Promise<void> {
  for (const end = Date.now() + 60_000; ; await delay(300)) {
    const old = (await listed(bridges)).filter((key) => key.id === 'k1' && key.purpose !== 'history');
    const left = old.filter(({ usage }) => usage.length > 0);
    if (left.length === 0) return;
    // What was begun under the first key and kept after it.
    if (left.some(({ purpose }) => purpose === 'sealing')) await step(bridges, ['reseal'], 0);
    if (Date.now() > end) throw new Error(`values still stand on the first key: ${JSON.stringify(left)}`);
  }
}

async function rotate(bridges: Bridges, kills: readonly [number, number, number, number]): Promise<string> {
  const { id } = await step(bridges, ['add'], kills[0]);
  await step(bridges, ['activate', String(id)], kills[1]);
  await expireGrants(bridges);
  await step(bridges, ['reseal'], kills[2]);
  await untilUnused(bridges);
  await step(bridges, ['drop', 'k1', '--purpose', 'digest'], kills[3]);
  // An approval page that is open at that moment keeps the session key for another.
  await until(async () => (await keys(bridges, ['drop', 'k1'])).code === 0, 60_000);
  return String(id);
}

type Kills = [number, number, number, number];

/** In `test:matrix` alone: whoever was killed on the way has met all that these meet. */
const UNDISTURBED: [string, Kills] = ['undisturbed', [0, 0, 0, 0]];

describe.each(modeDatabases)('a whole rotation on two workers, on %s', (database) => {
  let bridges: Bridges;
  let connected: Connected[];

  beforeEach(async () => {
    bridges = await startBridges({
      count: 1,
      database,
      env: { WORKERS: '2', PROFILES_FRESH_SECONDS: '60', PROFILES_STALE_SECONDS: '86400' },
    });
    const browser = new CookieWalker();
    // The app that every group of processes has is one of them: its secret must be seen too.
    connected = [await connect(bridges, bridges.app as RegisteredApp, browser)];
    for (let number = 1; number < APPS; number += 1)
      connected.push(await connect(bridges, await register(bridges, number), browser));
  });
  afterEach(() => bridges.stop());

  test.each<[string, Kills]>([
    ...(testMode.isSpawned ? [UNDISTURBED] : []),
    ['killed ten times at random', [2, 3, 3, 2]],
  ])(
    '%s, fails no call and ends with the first key gone',
    async (name, kills) => {
      const stop = startLoad(bridges, connected);
      await delay(500);
      const begun = performance.now();
      const id = await rotate(bridges, kills).finally(() => void stop());
      const seconds = (performance.now() - begun) / 1000;
      const { calls, flows, failures } = await stop();
      expect(failures.slice(0, 5)).toEqual([]);
      const states = (await listed(bridges)).map(
        ({ purpose, id: key, state }) => `${purpose} ${key} ${state}`,
      );
      expect(states.toSorted()).toEqual(
        [
          ...['digest', 'sealing', 'session'].map((purpose) => `${purpose} k1 dropped`),
          'history k1 old',
          ...['digest', 'sealing', 'session', 'history'].map((purpose) => `${purpose} ${id} active`),
        ].toSorted(),
      );
      const file = JSON.parse(readFileSync(bridges.settings['KEYS_FILE'] ?? '', 'utf8')) as object;
      const ids = Object.entries(file).map(([purpose, list]) => [purpose, list.map((key: Listed) => key.id)]);
      expect(Object.fromEntries(ids)).toEqual({
        digest: [id],
        sealing: [id],
        session: [id],
        history: ['k1', id],
      });
      bridges.proxy.assertNoRefreshTokenTwice();
      // Less than all: the machine that the tests share may be busy. The line below says how many there were.
      expect(calls).toBeGreaterThan(seconds * CALLS_PER_SECOND * 0.6);
      print(
        `${database}, ${name}: ${calls} calls and ${flows} whole flows in ${seconds.toFixed(1)} s, none failed`,
      );
      // What starts from now on has only the new keys, and every token still works.
      await nth(bridges, 0).stop();
      await nth(bridges, 0).start();
      for (const { token } of connected) {
        const headers = { authorization: `Bearer ${token}` };
        expect((await sendRaw(nth(bridges, 0).url, { path: '/1/user.json', headers })).status).toBe(200);
      }
    },
    240_000,
  );
});
