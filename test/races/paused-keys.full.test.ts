import { EventEmitter, once } from 'node:events';
import { sql } from 'kysely';
import { keyIdOf } from '../../src/shared/secrets.ts';
import { run, runJson } from '../processes/commands/operator-command.ts';
import type { LegacyApp } from '../support/callers/authorize.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { until } from '../support/servers/held-answer.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';
import { type Bridges, type DatabaseKind, startBridges } from './bridges.ts';
import { connectApp, exchangeAt, expireGrants, nth, readAt } from './calls.ts';
import { pauseBetweenWrites } from './pause.ts';

/**
 * A process that sleeps through a whole rotation of the keys and wakes with those of before (docs/decisions/0007): what
 * it is asked in its first moments it answers as if it had been awake.
 */

type Sleep = 'before the key is added' | 'before the key is activated';

const SCENES: ReadonlyArray<[DatabaseKind, Sleep]> = modeDatabases.flatMap(
  (database): Array<[DatabaseKind, Sleep]> => [
    [database, 'before the key is added'],
    [database, 'before the key is activated'],
  ],
);

const CALLS = 20;
const UNKNOWN = `1/${'x'.repeat(32)}`;

async function command({ settings }: Bridges, ...args: string[]): Promise<void> {
  const { code, output, complaints } = await run(settings, 'keys', ...args);
  expect({ args, code, output, complaints: code === 0 ? '' : complaints }).toEqual({
    args,
    code: 0,
    output,
    complaints: '',
  });
}

/** The keys that tokens and secrets stand on. */
async function digestKeys({ context }: Bridges): Promise<string[]> {
  const { durable } = context.store;
  const tokens = await durable.selectFrom('mappings').select('token_digest as digest').execute();
  const secrets = await durable.selectFrom('app_secrets').select('secret_digest as digest').execute();
  return [...new Set([...tokens, ...secrets].map(({ digest }) => keyIdOf(digest)))];
}

/** Everything is seen once under the new key by the process that is awake, and the old key is dropped. */
async function rotateAwake(bridges: Bridges, id: string, token: string): Promise<void> {
  const awake = nth(bridges, 0);
  await command(bridges, 'activate', id);
  const { ownerToken } = bridges.app as LegacyApp & { ownerToken: string };
  await until(async () => {
    expect((await readAt(awake, token)).status).toBe(200);
    expect((await readAt(awake, ownerToken)).status).toBe(401);
    expect((await exchangeAt(awake, bridges.app, UNKNOWN)).status).toBe(400);
    return (await digestKeys(bridges)).join() === id;
  });
  await command(bridges, 'reseal');
  await command(bridges, 'drop', 'k1');
}

/**
 * Keeps the register from being read, so that no look ends before the first calls are served; on SQLite a look cannot be
 * overtaken.
 */
async function lockRegister({ context }: Bridges, database: DatabaseKind): Promise<() => Promise<void>> {
  if (database === 'sqlite') return () => Promise.resolve();
  const lock = new EventEmitter();
  let done: Promise<void> = Promise.resolve();
  await new Promise<void>((locked, failed) => {
    done = context.store.transaction(async (tx) => {
      await sql`lock table keys in access exclusive mode`.execute(tx);
      const unlocked = once(lock, 'unlock');
      locked();
      await unlocked;
    });
    done.catch(failed);
  });
  // Those who only look are three: these two processes and this one.
  const areCallsWaiting = async () => {
    const waiting = sql<{ n: number }>`select count(*) as n from pg_locks where not granted`;
    return ((await waiting.execute(context.store.durable)).rows[0]?.n ?? 0) > 3;
  };
  return async () => {
    await until(areCallsWaiting, 2_000).catch(() => undefined);
    lock.emit('unlock');
    await done;
  };
}

async function playThrough(bridges: Bridges, [database, sleep]: [DatabaseKind, Sleep]): Promise<void> {
  const token = await connectApp(bridges);
  const sleeper = nth(bridges, 1);
  expect((await readAt(sleeper, token)).status).toBe(200);
  if (sleep === 'before the key is added') await pauseBetweenWrites(bridges, 1);
  const { id } = (await runJson(bridges.settings, 'keys', 'add')).json as { id: string };
  if (sleep === 'before the key is activated') {
    const isHeld = async () => {
      const holders = await bridges.context.store.durable.selectFrom('key_holders').select('held').execute();
      return holders.length >= 3 && holders.every(({ held }) => held.includes(id));
    };
    await until(isHeld);
    await pauseBetweenWrites(bridges, 1);
  }
  await rotateAwake(bridges, id, token);
  await expireGrants(bridges);

  const reads = Array.from({ length: CALLS }, () => readAt(sleeper, token));
  const exchanges = Array.from({ length: CALLS }, () => exchangeAt(sleeper, bridges.app, UNKNOWN));
  const unlock = await lockRegister(bridges, database);
  sleeper.resume();
  await unlock();
  expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]));
  for (const { json } of await Promise.all(exchanges)) expect(json).toMatchObject({ error: 'invalid_grant' });
  expect(await digestKeys(bridges)).toEqual([id]);
  bridges.proxy.assertNoRefreshTokenTwice();
  for (const each of bridges.processes) expect((await readAt(each, token)).status).toBe(200);
  const path = `/user/deauthorize?access_token=${token}`;
  await until(async () => (await sendRaw(sleeper.url, { method: 'POST', path })).status === 200, 2_000);
}

test.concurrent.each(SCENES)(
  'on %s a process that sleeps from %s on through all of it refuses nothing when it wakes, and takes nothing back',
  async (database, sleep) => {
    const bridges = await startBridges({ count: 2, database });
    try {
      await playThrough(bridges, [database, sleep]);
    } finally {
      await bridges.stop();
    }
  },
  180_000,
);
