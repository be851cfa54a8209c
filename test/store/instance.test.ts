import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type InstanceWatch, openInstanceWatch } from '../../src/domain/instance/instance-watch.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openEpochFile } from '../../src/store/files/epoch-file.ts';
import { insertGrant } from '../../src/store/grants/grants.ts';
import { becomeOriginal, bumpEpoch, markCopy, readInstance } from '../../src/store/instance/instance.ts';
import { claimPresenting } from '../../src/store/grants/claim-presenting.ts';
import { markRestoredInDoubt, hasRecoveredSince, listRestored } from '../../src/store/grants/restored.ts';
import type { Store } from '../../src/store/driver/store.ts';
import type { Instance } from '../../src/store/tables/tables.ts';
import { until } from '../support/servers/held-answer.ts';
import { grantRow, keepAppAndAccount, keepGrant } from './support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from './support/stores.ts';

/** What tells an original from its copies, as processes on two connections see it (docs/decisions/0010). */

const folder = mkdtempSync(join(tmpdir(), 'instance-'));
afterAll(() => rmSync(folder, { recursive: true }));

let logged = '';
const stream = new PassThrough().on('data', (chunk: Buffer) => (logged += chunk.toString()));
const logger = createLogger({ level: 'info', name: 'test', stream });
const clock = { elapsed: () => performance.now() };

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  let first: Instance;
  const watches: InstanceWatch[] = [];
  const fileOf = (machine: string) => join(folder, `${kind}-${machine}.json`);
  /** What the file says beside which database it is (processes/restore-drill.full.test.ts). */
  const keptBy = (machine: string) => {
    const kept = JSON.parse(readFileSync(fileOf(machine), 'utf8')) as Record<string, unknown>;
    delete kept['database'];
    return kept;
  };

  /** A process on a machine of that name. */
  async function openOn(machine: string, store: Store = stores.one): Promise<InstanceWatch> {
    const file = openEpochFile(fileOf(machine), stores.location);
    const watch = await openInstanceWatch({ store, file, clock, logger });
    watches.push(watch);
    return watch;
  }

  const change = (changes: Partial<Instance>) =>
    stores.two.durable.updateTable('instance').set(changes).execute();

  const claim = (watch: InstanceWatch) => {
    const decision = { from: 'ready', seenClaim: null, claimId: 'c1', now: 1 } as const;
    const version = { id: 'g1', version: 1 };
    return claimPresenting(stores.one.durable, version, { ...decision, instance: watch.seen() });
  };

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(stores.one.durable);
    first = await readInstance(stores.one.durable);
  });

  beforeEach(async () => {
    logged = '';
    await change(first);
    await stores.one.durable.deleteFrom('grants').execute();
    await insertGrant(stores.one.durable, grantRow('g1'));
  });

  afterEach(async () => {
    for (const watch of watches.splice(0)) await watch.stop();
  });

  afterAll(() => stores.close());

  test('a new database is the original, of no epoch and no place, and both are kept at the first start', async () => {
    expect(first).toMatchObject({ state: 'original', epoch: 0, place: '' });
    expect(first.id).toMatch(/^[0-9a-f]{24}$/);
    const watch = await openOn('new');
    expect([watch.isCopy(), watch.why(), watch.seen()]).toEqual([
      false,
      undefined,
      { id: first.id, epoch: 0 },
    ]);
    expect(keptBy('new')).toEqual({ instance: first.id, epoch: 0 });
    expect(statSync(fileOf('new')).mode & 0o777).toBe(0o600);
    const place = await stores.one.place();
    expect(place).toMatch(kind === 'sqlite' ? /^$/ : /^\d+\/\d+$/);
    expect((await readInstance(stores.two.durable)).place).toBe(place);
  });

  test('nothing is claimed on a copy, on an older database, or on another one', async () => {
    const watch = await openOn('claims');
    await change({ state: 'copy' });
    expect(await claim(watch)).toBe(false);
    await change({ state: 'original', epoch: 7 });
    await watch.look();
    await change({ epoch: 6 });
    expect(await claim(watch)).toBe(false);
    await change({ epoch: 8, id: 'another' });
    expect(await claim(watch)).toBe(false);
    await change({ id: first.id });
    expect(await claim(watch)).toBe(true);
  });

  test('the epoch rises within a second or two of a claim, and the file follows it', async () => {
    await change({ epoch: 1 });
    const watch = await openOn('serving');
    await watch.start();
    expect(watch.seen().epoch).toBe(1);
    watch.noteClaim();
    await until(() => watch.seen().epoch === 2);
    expect(keptBy('serving')).toMatchObject({ epoch: 2 });
    expect(await readInstance(stores.two.durable)).toMatchObject({ epoch: 2 });
    watch.noteClaim();
    await watch.stop();
    expect(keptBy('serving')).toMatchObject({ epoch: 3 });
  });

  test('a process that does not serve raises nothing', async () => {
    const watch = await openOn('command');
    watch.noteClaim();
    await watch.stop();
    expect(await readInstance(stores.two.durable)).toMatchObject({ epoch: 0 });
  });

  test('a database that is older than the file says is a copy, for every process once one serves it', async () => {
    writeFileSync(fileOf('older'), JSON.stringify({ instance: first.id, epoch: 5 }));
    await change({ epoch: 4 });
    const watch = await openOn('older');
    expect(await readInstance(stores.two.durable)).toMatchObject({ state: 'original' });
    await watch.start();
    expect(watch.why()).toBe('the database is older than the state that this machine saw before');
    expect(await readInstance(stores.two.durable)).toMatchObject({ state: 'copy', epoch: 4 });
    expect((await openOn('elsewhere')).isCopy()).toBe(true);
    expect(keptBy('older')).toEqual({ instance: first.id, epoch: 5 });
    expect(existsSync(fileOf('elsewhere'))).toBe(false);
  });

  test("another database's file is replaced by a process that serves, and one that cannot be read refuses the start", async () => {
    await change({ epoch: 1, place: await stores.one.place() });
    writeFileSync(fileOf('foreign'), JSON.stringify({ instance: 'another', epoch: 99 }));
    const watch = await openOn('foreign');
    expect([watch.isCopy(), keptBy('foreign')]).toEqual([false, { instance: 'another', epoch: 99 }]);
    await watch.start();
    expect(keptBy('foreign')).toEqual({ instance: first.id, epoch: 1 });
    expect(logged).toMatch(
      /^\{"before":"another","databaseNow":"[^"]+","host":"[^"]+","level":"warn","message":"[^"]* remembered another database/,
    );
    expect(logged.trimEnd().split('\n')).toHaveLength(1);
    for (const text of ['', '{"instance":"x"', '{"instance":"x","epoch":-1}', '[]']) {
      writeFileSync(fileOf('broken'), text);
      await expect(openOn('broken')).rejects.toThrow(/^VAR_DIR: .*broken\.json cannot be read/);
    }
    expect(await readInstance(stores.two.durable)).toMatchObject({ state: 'original' });
  });

  test('a database at another place is a copy', async () => {
    await change({ place: '1234567890/1' });
    const watch = await openOn('moved');
    await watch.start();
    expect(watch.why()).toBe('the database is a copy of another one, or was moved to another server');
    expect(await readInstance(stores.two.durable)).toMatchObject({ state: 'copy', place: '1234567890/1' });
  });

  test('an epoch that goes back under a running process makes a copy, with one line that says what to do', async () => {
    await change({ place: await stores.one.place() });
    const watch = await openOn('running');
    await watch.start();
    await change({ epoch: 9 });
    await until(() => watch.seen().epoch === 9);
    expect(logged).toBe('');
    await change({ epoch: 8 });
    await until(() => watch.isCopy());
    expect(logged).toContain('ALARM: this is a restored copy, the bridge sends nothing to the new API');
    expect(logged).toContain('grantbridge restore --take-over');
    expect(logged.trimEnd().split('\n')).toHaveLength(1);
    // The process holds back at once, and tells the others then.
    await until(async () => (await readInstance(stores.two.durable)).state === 'copy');
  });

  test('a running process notices a take-over, and counts the quiet time from there', async () => {
    await change({ state: 'copy', epoch: 1 });
    const watch = await openOn('taken');
    await watch.start();
    expect(watch.originalFor()).toBe(0);
    const before = clock.elapsed();
    await becomeOriginal(stores.two.durable, { epoch: 1_000_000_000, place: await stores.one.place() });
    await until(() => !watch.isCopy());
    expect(watch.originalFor()).toBeLessThanOrEqual(clock.elapsed() - before);
    expect(keptBy('taken')).toEqual({ instance: first.id, epoch: 1_000_000_000 });
    await change({ epoch: 1 });
    await until(() => watch.isCopy());
  });

  test('the epoch of a copy, and of an older database, is not raised', async () => {
    await bumpEpoch(stores.one.durable, { id: first.id, epoch: 1 });
    await markCopy(stores.one.durable, { ...first, epoch: 3 });
    expect(await readInstance(stores.two.durable)).toMatchObject({ state: 'original', epoch: 0 });
    await markCopy(stores.one.durable, first);
    await bumpEpoch(stores.one.durable, first);
    expect(await readInstance(stores.two.durable)).toMatchObject({ state: 'copy', epoch: 0 });
  });

  test('a failing database leaves what was known, and costs one line', async () => {
    let isAway = false;
    await change({ epoch: 1 });
    const place = () => (isAway ? Promise.reject(new Error('away')) : stores.one.place());
    const watch = await openOn('away', { ...stores.one, place });
    await watch.start();
    isAway = true;
    await until(() => logged.includes('could not check whether the database is a copy'));
    watch.noteClaim();
    isAway = false;
    await until(() => watch.seen().epoch === 2);
    expect(watch.isCopy()).toBe(false);
    expect(logged.match(/could not check whether the database is a copy/g)).toHaveLength(1);
  });

  test('restored grants wait for their access token and the quiet time, and come oldest first', async () => {
    const db = stores.one.durable;
    await keepGrant(db, 'late', { access_expires_at: 40 });
    await keepGrant(db, 'early', { access_expires_at: 30 });
    await keepGrant(db, 'serving', { access_expires_at: 900 });
    await keepGrant(db, 'dead', { state: 'dead', access_expires_at: 30 });
    await markRestoredInDoubt(db, ['late', 'early', 'serving', 'dead'], {
      claimId: 't1',
      retryAt: 0,
      now: 100,
    });
    const idsAt = async (now: number) =>
      (await listRestored(db, { now, quiet: 300, limit: 2 })).map(({ id }) => id);
    expect(await idsAt(399)).toEqual([]);
    expect(await idsAt(400)).toEqual(['early', 'late']);
    expect(await idsAt(99)).toEqual(['early', 'late']);
  });

  test('a recovery counts from its time on', async () => {
    const by = { actor: 'bridge', reason: 'a whole pair came', at: 50 };
    const events = [
      { ...by, action: 'refresh_recovered' },
      { ...by, action: 'granted', at: 70 },
    ];
    await stores.one.durable.insertInto('events').values(events).execute();
    expect(await hasRecoveredSince(stores.two.durable, 50)).toBe(true);
    expect(await hasRecoveredSince(stores.two.durable, 51)).toBe(false);
  });
});
