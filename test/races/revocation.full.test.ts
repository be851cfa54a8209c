import { setTimeout as delay } from 'node:timers/promises';
import { settlePendingRevocations } from '../../src/domain/grants/pending-revocations.ts';
import { holdAnswer, until } from '../support/servers/held-answer.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';
import { type Bridges, startBridges } from './bridges.ts';
import {
  connectApp,
  deauthorizeAt,
  expireGrants,
  freshTokenIn,
  grantOf,
  nth,
  print,
  readAt,
  refreshTokenOf,
} from './calls.ts';

/** A deauthorization at one process while others refresh and read: revoked stays revoked. */

describe.each(modeDatabases)('on %s', (database) => {
  let bridges: Bridges;
  beforeAll(async () => {
    bridges = await startBridges({ count: 4, database });
  });
  beforeEach(() => {
    bridges.proxy.onTokenAnswer = undefined;
  });
  afterAll(() => bridges.stop());

  const owed = () => bridges.context.store.durable.selectFrom('owed_revocations').selectAll().execute();

  /** What every process does at its start and once a minute. */
  const workOffWhatIsOwed = async () => {
    await settlePendingRevocations(bridges.context);
    await until(async () => (await owed()).length === 0);
  };

  const expectEnded = async (token: string) => {
    const grant = await grantOf(bridges, bridges.app);
    expect(grant).toMatchObject({ state: 'dead', dead_cause: 'deauthorized', refresh_token_sealed: null });
    const { durable } = bridges.context.store;
    const mappings = durable.selectFrom('mappings').select('state').where('grant_id', '=', grant.id);
    expect(await mappings.execute()).toEqual([{ state: 'revoked' }]);
    const before = bridges.proxy.refreshes().length;
    for (const each of bridges.processes) expect((await readAt(each, token)).status).toBe(401);
    expect(bridges.proxy.refreshes()).toHaveLength(before);
  };

  /** A grant whose access token has ended, and the refresh token behind it. */
  const connectExpired = async () => {
    const token = await connectApp(bridges);
    const old = await refreshTokenOf(bridges, bridges.app);
    await expireGrants(bridges);
    return { token, old, before: bridges.proxy.refreshes().length };
  };

  test('before the claim: nothing is presented any more, and the pair is revoked upstream', async () => {
    const { token, old, before } = await connectExpired();
    expect((await deauthorizeAt(nth(bridges, 1), token)).status).toBe(200);
    await expectEnded(token);
    expect(bridges.proxy.refreshes()).toHaveLength(before);
    await until(() => bridges.proxy.revoked().includes(old));
    expect(bridges.proxy.revoked()).toContain(old);
  });

  test('between claim and answer: it stays revoked, and the fresh pair is revoked upstream', async () => {
    const { token, before } = await connectExpired();
    const held = holdAnswer(bridges.proxy, 'onTokenAnswer');
    const caller = readAt(nth(bridges, 0), token);
    await until(() => held.answer !== undefined);
    const fresh = freshTokenIn(held.answer);
    expect((await deauthorizeAt(nth(bridges, 1), token)).status).toBe(200);
    await until(async () => (await owed()).length === 0);
    held.release();
    expect((await caller).status).toBe(401);
    // Worked off at once, unless that fails; a process that starts works off what is left.
    await until(async () => (await owed()).length === 1 || bridges.proxy.revoked().includes(fresh));
    await nth(bridges, 3).kill();
    await nth(bridges, 3).start();
    await until(() => bridges.proxy.revoked().includes(fresh));
    expect(bridges.proxy.revoked()).toContain(fresh);
    expect(bridges.proxy.refreshes().length - before).toBe(1);
    await expectEnded(token);
  });

  test('after the store: the fresh pair is the one that is revoked upstream', async () => {
    const { token, old } = await connectExpired();
    expect((await readAt(nth(bridges, 0), token)).status).toBe(200);
    const fresh = await refreshTokenOf(bridges, bridges.app);
    expect(fresh).not.toBe(old);
    expect((await deauthorizeAt(nth(bridges, 1), token)).status).toBe(200);
    await until(() => bridges.proxy.revoked().includes(fresh));
    expect(bridges.proxy.revoked()).toContain(fresh);
    await expectEnded(token);
  });

  test('beside another live grant of the account the fresh pair is erased and not sent', async () => {
    const sibling = await bridges.registerApp();
    const other = await connectApp(bridges, sibling);
    const { token, old } = await connectExpired();
    const held = holdAnswer(bridges.proxy, 'onTokenAnswer');
    const caller = readAt(nth(bridges, 0), token);
    await until(() => held.answer !== undefined);
    const fresh = freshTokenIn(held.answer);
    expect((await deauthorizeAt(nth(bridges, 1), token)).status).toBe(200);
    bridges.proxy.onTokenAnswer = undefined;
    held.release();
    expect((await caller).status).toBe(401);
    await expectEnded(token);
    await until(() =>
      bridges.processes.some((each) => each.complaints().includes('a surplus pair came back')),
    );
    await workOffWhatIsOwed();
    expect(bridges.proxy.revoked()).not.toContain(fresh);
    expect(bridges.proxy.revoked()).not.toContain(old);
    for (const each of bridges.processes) expect((await readAt(each, other)).status).toBe(200);
    expect((await deauthorizeAt(nth(bridges, 0), other)).status).toBe(200);
  });

  test('in any order, by chance: revoked stays revoked, and the newest pair is revoked upstream', async () => {
    const orders = { untouched: 0, refreshed: 0 };
    for (let round = 0; round < 15; round += 1) {
      const { token, old, before } = await connectExpired();
      let newest = old;
      bridges.proxy.onTokenAnswer = (_call, answer) => {
        newest = freshTokenIn(answer);
        return answer;
      };
      const [caller, ended] = await Promise.all([
        delay(Math.random() * 15).then(() => readAt(nth(bridges, 0), token)),
        delay(Math.random() * 30).then(() => deauthorizeAt(nth(bridges, 1), token)),
      ]);
      expect(ended.status).toBe(200);
      expect([200, 401]).toContain(caller.status);
      await until(async () => {
        await workOffWhatIsOwed();
        return bridges.proxy.revoked().includes(newest);
      });
      expect(bridges.proxy.revoked()).toContain(newest);
      await expectEnded(token);
      const refreshed = bridges.proxy.refreshes().length - before;
      expect(refreshed).toBeLessThanOrEqual(1);
      orders[refreshed === 0 ? 'untouched' : 'refreshed'] += 1;
    }
    print(
      `${database}: revoked before a claim ${orders.untouched} times, after one ${orders.refreshed} times`,
    );
  });

  test('is seen by every other process at once', async () => {
    let slowest = 0;
    for (let round = 0; round < 5; round += 1) {
      const token = await connectApp(bridges);
      for (const each of bridges.processes) expect((await readAt(each, token)).status).toBe(200);
      expect((await deauthorizeAt(nth(bridges, round % 4), token)).status).toBe(200);
      const begun = performance.now();
      const answers = await Promise.all(bridges.processes.map((each) => readAt(each, token)));
      slowest = Math.max(slowest, performance.now() - begun);
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    }
    expect(slowest).toBeLessThan(5000);
    print(`${database}: refused by all four processes within ${Math.round(slowest)} ms`);
  });
});
