import { setTimeout as delay } from 'node:timers/promises';
import { recoverSpilledPairs } from '../../src/domain/grants/refresh/store-rotated-pair.ts';
import { sealPair } from '../../src/domain/grants/sealed-pair.ts';
import { takeOver } from '../../src/domain/instance/take-over.ts';
import type { Grant } from '../../src/store/tables/tables.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import type { RawAnswer } from '../support/callers/raw-request.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { holdAnswer, until } from '../support/servers/held-answer.ts';
import { openTurnableDatabase, type TurnableDatabase } from './support/turnable-database.ts';

/**
 * The address of the settings may lead to another database while a process runs: a name server or a pooler was turned
 * round. A pair that comes meanwhile belongs to the database that has its claim. The watch looks once a second, so these
 * tests stop it: what happens before a look must not depend on chance.
 */

let system: System;
let database: TurnableDatabase;
let token: string;

const home = () => database.names.home;
const copy = () => database.names.copy;
const away = () => database.names.away;

const onDatabase = <Row extends object>(name: string, statement: string) => database.on<Row>(name, statement);

const toCopy = () => database.toCopy();
const toOriginal = () => database.toOriginal();

const grantIn = async (name: string) => {
  const [grant] = await onDatabase<Grant>(name, 'select * from grants');
  return grant as Grant;
};

/** The connections of before are gone, so the first look may fail. */
const look = () =>
  until(() =>
    system.bridge.context.instance.look().then(
      () => true,
      () => false,
    ),
  );

const waiting = async () => (await system.bridge.context.spill.list()).entries;

beforeEach(async () => {
  database = await openTurnableDatabase();
  const env = { DATABASE_URL: database.url, PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ env });
  token = await issueToken(system);
  await system.bridge.context.instance.stop();
  await onDatabase(home(), 'update grants set access_expires_at = 0');
  await database.copy();
});

afterEach(async () => {
  await system.stop();
  await database.close();
});

/** A refresh whose claim the original has, and whose answer finds the copy at the address. */
async function refreshAcross(): Promise<{ call: Promise<RawAnswer> }> {
  await look();
  const held = holdAnswer(system.proxy, 'onTokenAnswer');
  const call = read(system, '/1/profiles.json', token);
  await until(() => held.answer !== undefined);
  await toCopy();
  system.proxy.onTokenAnswer = undefined;
  held.release();
  return { call };
}

const dead = `state = 'dead', dead_cause = 'refused', dead_at = 1`;

describe.each([
  ['ready at the version of the claim', `state = 'ready'`],
  ['ready at a later version', `state = 'ready', version = 7`],
  ['dead', dead],
])('an answer that finds a copy at the address, whose grant is %s,', (_what, change) => {
  testInProcess(
    'changes nothing there, stays in the spill, and is stored once the address leads back',
    async () => {
      await onDatabase(copy(), `update grants set ${change}`);
      const before = await grantIn(copy());
      const { call } = await refreshAcross();
      await until(async () => (await waiting()).length > 0);
      // Several attempts, before and after the look that recognises the copy.
      await delay(1500);
      await look();
      expect(system.bridge.context.instance.isCopy()).toBe(true);
      expect(await grantIn(home())).toEqual(before);
      expect(await onDatabase(home(), 'select * from owed_revocations')).toEqual([]);
      expect(await waiting()).toMatchObject([{ version: before.version === 7 ? 1 : before.version }]);
      expect(await grantIn(away())).toMatchObject({ state: 'presenting', version: 1 });
      await toOriginal();
      await look();
      await until(async () => (await waiting()).length === 0);
      expect(await grantIn(home())).toMatchObject({ state: 'ready', version: 2 });
      expect(await grantIn(copy())).toEqual(before);
      await call;
      expect(system.proxy.refreshes()).toHaveLength(1);
    },
  );
});

testInProcess('the copy gets the pair once it was taken over with this VAR_DIR', async () => {
  const { call } = await refreshAcross();
  await until(async () => (await waiting()).length > 0);
  await look();
  expect(await takeOver(system.bridge.context)).toBe(1);
  await until(async () => (await waiting()).length === 0);
  expect(await grantIn(home())).toMatchObject({ state: 'ready', version: 2 });
  await call;
});

/** A pair as a process leaves it that ends while the database is away. */
async function spillNext(): Promise<void> {
  const { context } = system.bridge;
  const { id, version, scope } = await grantIn(home());
  const received = { accessToken: 'a', refreshToken: 'r', lifetime: 3_600_000, scope };
  const row = { id, version: version + 1, sentAt: context.clock.now() };
  const pair = sealPair(context, row, received);
  await context.spill.write({ grantId: id, version, pair, owner: context.instance.pairOwner() });
}

testInProcess('a waiting pair is not taken into a copy, before the first look as after it', async () => {
  const { context } = system.bridge;
  const owner = context.instance.pairOwner();
  await spillNext();
  await toCopy();
  expect(context.instance.presentOwner()).toEqual(owner);
  for (const _ of [1, 2, 3]) await recoverSpilledPairs(context);
  expect(await waiting()).toHaveLength(1);
  await look();
  expect(context.instance.presentOwner().address).not.toBe(owner.address);
  expect(context.instance.pairOwner()).toEqual(owner);
  await recoverSpilledPairs(context);
  expect(await waiting()).toHaveLength(1);
  expect(await grantIn(home())).toMatchObject({ state: 'ready', version: 1 });
  await toOriginal();
  await look();
  await recoverSpilledPairs(context);
  expect(await waiting()).toEqual([]);
  expect(await grantIn(home())).toMatchObject({ state: 'ready', version: 2 });
});
