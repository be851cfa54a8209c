import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Sqlite } from '../../src/shared/sqlite.ts';
import type { Context } from '../../src/domain/context.ts';
import {
  recoverSpilledPair,
  recoverSpilledPairs,
  storeRotatedPair,
} from '../../src/domain/grants/refresh/store-rotated-pair.ts';
import { sealPair } from '../../src/domain/grants/sealed-pair.ts';
import { openInstanceWatch } from '../../src/domain/instance/instance-watch.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openStore } from '../../src/store/driver/open-store.ts';
import { openEpochFile } from '../../src/store/files/epoch-file.ts';
import { openSpill, type PairOwner, type SpilledPair } from '../../src/store/files/spill.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { until } from '../support/servers/held-answer.ts';

/**
 * An original that runs in the VAR_DIR of a copy spills there. The copy has the same grants and must not take the pair,
 * and the original must be able to get it back: no other copy of the pair exists.
 */

const STRAY = 'ALARM: a pair was spilled into the VAR_DIR of another database';
const LEFT = 'spilled pairs of another database wait in this VAR_DIR';

let system: System;
let originalFile: string;
let raw: Sqlite.Database;
/** The VAR_DIR of the copy. */
let foreign: string;
let copyFile: string;
let grantId: string;
const closing: Array<() => Promise<void>> = [];

interface Opened {
  context: Context;
  /** The log lines that have these words. */
  told: (words: string) => string[];
}

/** A process on that database with that VAR_DIR. It runs no jobs, so nothing happens but what a test asks for. */
async function openOn(file: string, varDir: string): Promise<Opened> {
  const { context: base } = system.bridge;
  const location = { kind: 'sqlite', file } as const;
  const { stream, lines } = logLines();
  const logger = createLogger({ level: 'info', name: 'test', stream });
  const store = await openStore(location);
  closing.push(() => store.close());
  const memory = openEpochFile(join(varDir, 'epoch.json'), location);
  const instance = await openInstanceWatch({ store, file: memory, clock: base.clock, logger });
  const context = { ...base, store, instance, logger, spill: openSpill(join(varDir, 'spill')) };
  return { context, told: (words) => lines().filter((line) => line.includes(words)) };
}

const grantIn = ({ store }: Context) =>
  store.durable.selectFrom('grants').selectAll().where('id', '=', grantId).executeTakeFirstOrThrow();

/** The answer to a refresh with the present pair of the grant. */
async function nextPair(context: Context): Promise<SpilledPair> {
  const { version, scope } = await grantIn(context);
  const received = { accessToken: 'a', refreshToken: 'r', lifetime: 3_600_000, scope };
  const pair = sealPair(
    context,
    { id: grantId, version: version + 1, sentAt: context.clock.now() },
    received,
  );
  return { grantId, version, pair };
}

/** A pair as a process leaves it that ends while the database is away. */
async function spillNext(context: Context): Promise<SpilledPair> {
  const entry = { ...(await nextPair(context)), owner: context.instance.pairOwner() };
  await context.spill.write(entry);
  return entry;
}

const listed = async ({ spill }: Context) => (await spill.list()).entries;

async function expectTaken(context: Context, { version, pair }: SpilledPair): Promise<void> {
  expect(await listed(context)).toEqual([]);
  expect(await grantIn(context)).toMatchObject({
    version: version + 1,
    refresh_token_sealed: pair.refreshTokenSealed,
  });
}

beforeAll(async () => {
  system = await startSystem();
  originalFile = join(dirname(system.bridge.context.anchorsFile), 'bridge.db');
  raw = new Sqlite(originalFile);
});
afterAll(async () => {
  raw.close();
  await system.stop();
});

beforeEach(async () => {
  await issueToken(system);
  const { store } = system.bridge.context;
  const newest = store.durable.selectFrom('grants').select('id').where('state', '<>', 'dead');
  grantId = (await newest.orderBy('id', 'desc').executeTakeFirstOrThrow()).id;
  foreign = realpathSync(mkdtempSync(join(tmpdir(), 'spill-owners-')));
  copyFile = join(foreign, 'copy.db');
  raw.exec(`vacuum into '${copyFile}'`);
  const { id } = system.bridge.context.instance.seen();
  writeFileSync(
    join(foreign, 'epoch.json'),
    JSON.stringify({ instance: id, epoch: 0, database: 'sqlite:copy.db' }),
  );
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(foreign, { recursive: true, force: true });
});

test('a pair that the original spills in the VAR_DIR of a copy is left there, told of once, and taken where its file is moved to', async () => {
  const { context: wrong } = await openOn(originalFile, foreign);
  const entry = await spillNext(wrong);
  expect(entry.owner).toEqual({
    instance: wrong.instance.seen().id,
    address: `sqlite:${realpathSync(originalFile)}`,
    ownsFolder: false,
  });

  const { context: copy, told } = await openOn(copyFile, foreign);
  expect(copy.instance.ownsFolder()).toBe(true);
  for (const _ of [1, 2]) await recoverSpilledPairs(copy);
  await expect(recoverSpilledPair(copy, await grantIn(copy))).rejects.toThrow('for another database');
  expect(await listed(copy)).toMatchObject([entry]);
  expect(await grantIn(copy)).toMatchObject({ version: entry.version });
  expect(told(LEFT)).toEqual([expect.stringContaining(realpathSync(originalFile))]);
  expect(told(LEFT)[0]).toContain(join(foreign, 'spill'));

  const own = join(foreign, 'own');
  mkdirSync(own);
  const { context: right, told: toldRight } = await openOn(originalFile, own);
  for (const file of readdirSync(join(foreign, 'spill')))
    renameSync(join(foreign, 'spill', file), join(own, 'spill', file));
  await recoverSpilledPairs(right);
  await expectTaken(right, entry);
  expect(toldRight(LEFT)).toEqual([]);
});

test('a process of the original takes its pair also in the VAR_DIR of the copy', async () => {
  const { context } = await openOn(originalFile, foreign);
  const entry = await spillNext(context);
  expect(await recoverSpilledPair(context, await grantIn(context))).toBe(true);
  await expectTaken(context, entry);
});

test('a received pair is spilled under the name of its database, and a person is told where', async () => {
  const { context, told } = await openOn(originalFile, foreign);
  const received = await nextPair(context);
  raw.pragma('legacy_alter_table = on');
  raw.exec('alter table grants rename to hidden');
  const stored = storeRotatedPair(context, received);
  try {
    await until(() => told(STRAY).length > 0);
    expect(await listed(context)).toMatchObject([{ ...received, owner: context.instance.pairOwner() }]);
    expect(told(STRAY)).toEqual([expect.stringContaining(join(foreign, 'spill'))]);
    expect(JSON.parse(told(STRAY)[0] ?? '').file).toBe(readdirSync(join(foreign, 'spill'))[0]);
  } finally {
    raw.exec('alter table hidden rename to grants');
  }
  await stored;
  await expectTaken(context, received);
});

test('nobody is told of a pair that is spilled in the VAR_DIR of its database', async () => {
  const { context, told } = await openOn(copyFile, foreign);
  const received = await nextPair(context);
  const other = new Sqlite(copyFile);
  other.pragma('legacy_alter_table = on');
  other.exec('alter table grants rename to hidden');
  const stored = storeRotatedPair(context, received);
  try {
    await until(async () => (await listed(context)).length > 0);
    expect(await listed(context)).toMatchObject([{ owner: { ownsFolder: true } }]);
  } finally {
    other.exec('alter table hidden rename to grants');
    other.close();
  }
  await stored;
  await expectTaken(context, received);
  expect(told(STRAY)).toEqual([]);
});

test('a copy and its original overwrite nothing of each other in one folder', async () => {
  const { context: original } = await openOn(originalFile, foreign);
  const { context: copy } = await openOn(copyFile, foreign);
  const [first, second] = [await spillNext(original), await spillNext(copy)];
  expect(first.version).toBe(second.version);
  expect(await listed(copy)).toHaveLength(2);
  await recoverSpilledPairs(copy);
  expect(await listed(copy)).toMatchObject([first]);
  await recoverSpilledPairs(original);
  await expectTaken(original, first);
});

test.each<[string, Partial<PairOwner>, 'taken' | 'left']>([
  ['that was spilled here before the database was moved', { ownsFolder: true }, 'taken'],
  ['that a former stranger in this folder spilled', { ownsFolder: false }, 'left'],
  ['of a database with another id', { instance: 'another', ownsFolder: true }, 'left'],
])('a pair of another address %s is %s', async (_which, changes, what) => {
  const { context } = await openOn(copyFile, foreign);
  const pair = await nextPair(context);
  const owner = { ...context.instance.pairOwner(), address: 'sqlite:/elsewhere/bridge.db', ...changes };
  await context.spill.write({ ...pair, owner });
  await recoverSpilledPairs(context);
  expect(await listed(context)).toHaveLength(what === 'left' ? 1 : 0);
  expect((await grantIn(context)).version).toBe(what === 'left' ? pair.version : pair.version + 1);
});

test('whose folder it was at the claim holds for the pair, whoever gets the folder before the answer comes', async () => {
  const { context } = await openOn(copyFile, foreign);
  const received = { ...(await nextPair(context)), owner: context.instance.pairOwner() };
  const { id } = context.instance.seen();
  writeFileSync(
    join(foreign, 'epoch.json'),
    JSON.stringify({ instance: id, epoch: 0, database: 'sqlite:other.db' }),
  );
  expect(context.instance.ownsFolder()).toBe(false);
  await context.spill.write(received);
  expect(await listed(context)).toMatchObject([{ owner: { ownsFolder: true } }]);
});

test('a file whose owner a person took out is one of the owner of the folder, whatever its name', async () => {
  const { context } = await openOn(copyFile, foreign);
  const { owner: _owner, ...plain } = await spillNext(context);
  const [file = ''] = readdirSync(join(foreign, 'spill'));
  writeFileSync(join(foreign, 'spill', file), JSON.stringify(plain));
  await recoverSpilledPairs(context);
  await expectTaken(context, plain);
  expect(existsSync(join(foreign, 'spill', file))).toBe(false);
});
