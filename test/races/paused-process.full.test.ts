import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { PRESENTING_LIMIT } from '../../src/shared/lifetimes.ts';
import { holdAnswer, until } from '../support/servers/held-answer.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';
import { type Bridges, type DatabaseKind, startBridges } from './bridges.ts';
import {
  connectApp,
  expireGrants,
  freshTokenIn,
  grantOf,
  nth,
  print,
  readAt,
  refreshTokenOf,
} from './calls.ts';
import { pauseBetweenWrites } from './pause.ts';

/**
 * SIGSTOP at the worst moments of a refresh, as a machine pauses, with a second process beside it
 * (docs/decisions/0003). The tests wait for real limits, so they run beside each other.
 */

/** Longer than a claim may stand, so that it is this time that governs, in seconds. */
const QUIET = 25;

interface Scene {
  database: DatabaseKind;
  quietSeconds: number;
}

async function withTwo({ database, quietSeconds }: Scene, play: (bridges: Bridges) => Promise<void>) {
  const env = { IN_DOUBT_QUIET_SECONDS: String(quietSeconds) };
  const bridges = await startBridges({ count: 2, database, env });
  try {
    await play(bridges);
  } finally {
    await bridges.stop();
  }
}

/** Keeps every other writer of a grant's row waiting until the answer is called. */
async function lockRow({ context }: Bridges, id: string): Promise<() => Promise<void>> {
  const lock = new EventEmitter();
  let done: Promise<void> = Promise.resolve();
  await new Promise<void>((locked, failed) => {
    done = context.store.transaction(async (tx) => {
      await tx.updateTable('grants').set({ refresh_at: 0 }).where('id', '=', id).execute();
      locked();
      await once(lock, 'unlock');
    });
    done.catch(failed);
  });
  return () => {
    lock.emit('unlock');
    return done;
  };
}

async function isLeased({ context }: Bridges, id: string): Promise<boolean> {
  const leases = context.store.volatile
    .selectFrom('leases')
    .select('name')
    .where('name', '=', `refresh ${id}`);
  return (await leases.execute()).length > 0;
}

/** An expired grant whose refresh the first process has sent; the answer waits at the proxy. */
async function withAnswerHeld(bridges: Bridges) {
  const token = await connectApp(bridges);
  const { version } = await grantOf(bridges, bridges.app);
  await expireGrants(bridges);
  const held = holdAnswer(bridges.proxy, 'onTokenAnswer');
  const caller = readAt(nth(bridges, 0), token);
  await until(() => held.answer !== undefined);
  bridges.proxy.onTokenAnswer = undefined;
  return { token, version, held, caller, fresh: freshTokenIn(held.answer) };
}

test.concurrent.each(modeDatabases)(
  'on %s a process that was paused in its claim past the limit does not send, and the next one does, once',
  (database) =>
    withTwo({ database, quietSeconds: 300 }, async (bridges) => {
      const token = await connectApp(bridges);
      await expireGrants(bridges);
      const { id, version } = await grantOf(bridges, bridges.app);
      const unlock = await lockRow(bridges, id);
      const caller = readAt(nth(bridges, 0), token);
      // Its lease shows that it is on its way; what follows is to connect and to claim, and there it waits for the row.
      await until(() => isLeased(bridges, id));
      await delay(1000);
      nth(bridges, 0).pause();
      await unlock();
      await delay(2500);
      expect(bridges.proxy.refreshes()).toEqual([]);
      nth(bridges, 0).resume();
      await until(async () => {
        const { state, attempts } = await grantOf(bridges, bridges.app);
        return state === 'ready' && attempts > 0;
      });
      // A claim was made and given back.
      const after = await grantOf(bridges, bridges.app);
      expect(after).toMatchObject({ state: 'ready', version });
      expect(after.attempts).toBeGreaterThan(0);
      expect((await caller).status).not.toBe(401);
      expect(bridges.proxy.refreshes()).toEqual([]);
      await until(async () => (await readAt(nth(bridges, 1), token)).status === 200);
      expect((await readAt(nth(bridges, 1), token)).status).toBe(200);
      expect(bridges.proxy.refreshes()).toHaveLength(1);
    }),
  90_000,
);

test.concurrent.each(modeDatabases)(
  'on %s the answer to a process that was paused for a moment is stored, and its caller is answered',
  (database) =>
    withTwo({ database, quietSeconds: 300 }, async (bridges) => {
      const { token, version, held, caller, fresh } = await withAnswerHeld(bridges);
      await pauseBetweenWrites(bridges, 0);
      held.release();
      const beside = readAt(nth(bridges, 1), token);
      await delay(3000);
      nth(bridges, 0).resume();
      expect((await caller).status).toBe(200);
      expect((await beside).status).toBe(200);
      expect(await grantOf(bridges, bridges.app)).toMatchObject({ state: 'ready', version: version + 1 });
      expect(await refreshTokenOf(bridges, bridges.app)).toBe(fresh);
      expect(bridges.proxy.refreshes()).toHaveLength(1);
    }),
  90_000,
);

test.concurrent.each(modeDatabases)(
  'on %s an answer that a process finds after a pause past all limits is stored; meanwhile nobody presents again',
  (database) =>
    withTwo({ database, quietSeconds: 300 }, async (bridges) => {
      const { token, version, held, caller, fresh } = await withAnswerHeld(bridges);
      await pauseBetweenWrites(bridges, 0);
      held.release();
      const isInDoubt = async () => (await grantOf(bridges, bridges.app)).state === 'in_doubt';
      const statuses = new Set<number>();
      const end = Date.now() + PRESENTING_LIMIT + 15_000;
      while (!(await isInDoubt()) && Date.now() < end) {
        statuses.add((await readAt(nth(bridges, 1), token)).status);
        await delay(50);
      }
      expect((await grantOf(bridges, bridges.app)).state).toBe('in_doubt');
      statuses.add((await readAt(nth(bridges, 1), token)).status);
      expect([...statuses]).toEqual([503]);
      expect(bridges.proxy.refreshes()).toHaveLength(1);
      nth(bridges, 0).resume();
      await until(async () => (await grantOf(bridges, bridges.app)).state === 'ready');
      expect(await grantOf(bridges, bridges.app)).toMatchObject({ state: 'ready', version: version + 1 });
      expect(await refreshTokenOf(bridges, bridges.app)).toBe(fresh);
      expect((await caller).status).not.toBe(401);
      for (const each of bridges.processes) expect((await readAt(each, token)).status).toBe(200);
      expect(bridges.proxy.refreshes()).toHaveLength(1);
    }),
  90_000,
);

test.concurrent.each(modeDatabases)(
  'on %s the version of a paused process is presented again only as the in-doubt rule allows, and the late pair is ended',
  (database) =>
    withTwo({ database, quietSeconds: QUIET }, async (bridges) => {
      const { token, held, fresh } = await withAnswerHeld(bridges);
      await pauseBetweenWrites(bridges, 0);
      held.release();
      const again = () => bridges.proxy.refreshes().length > 1;
      const end = Date.now() + QUIET * 1000 + 30_000;
      while (!again() && Date.now() < end) {
        const { status } = await readAt(nth(bridges, 1), token);
        if (!again()) expect(status).toBe(503);
        await delay(50);
      }
      const [one, two] = bridges.proxy.refreshes();
      const rested = (two?.at ?? 0) - (one?.at ?? 0);
      expect(rested).toBeGreaterThanOrEqual(QUIET * 1000 - 100);
      print(`${database}: presented again after ${(rested / 1000).toFixed(1)} s`);
      // The modern side had spent it: that it was presented again ended the grant there.
      await until(async () => (await grantOf(bridges, bridges.app)).state === 'dead');
      expect(await grantOf(bridges, bridges.app)).toMatchObject({ dead_cause: 'refused' });
      nth(bridges, 0).resume();
      await until(async () => (await readAt(nth(bridges, 0), token)).status === 401);
      await until(() => bridges.proxy.revoked().includes(fresh));
      expect(bridges.proxy.revoked()).toContain(fresh);
      expect(bridges.proxy.refreshes()).toHaveLength(2);
    }),
  90_000,
);
