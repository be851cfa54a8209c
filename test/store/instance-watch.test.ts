import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { sql } from 'kysely';
import { type InstanceWatch, openInstanceWatch } from '../../src/domain/instance/instance-watch.ts';
import { epochOfTakeOver } from '../../src/domain/instance/take-over-epoch.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openEpochFile } from '../../src/store/files/epoch-file.ts';
import { insertGrant } from '../../src/store/grants/grants.ts';
import { readInstance } from '../../src/store/instance/instance.ts';
import type { Store } from '../../src/store/driver/store.ts';
import type { Instance } from '../../src/store/tables/tables.ts';
import { until } from '../support/servers/held-answer.ts';
import { grantRow, keepAppAndAccount } from './support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from './support/stores.ts';

/** How a process finds out that its database is a copy, and what it does when it can neither look nor write. */

const folder = mkdtempSync(join(tmpdir(), 'instance-watch-'));
afterAll(() => rmSync(folder, { recursive: true }));

let logged = '';
const stream = new PassThrough().on('data', (chunk: Buffer) => (logged += chunk.toString()));
const logger = createLogger({ level: 'info', name: 'test', stream });
const clock = { elapsed: () => performance.now() };
const timesLogged = (words: string) => logged.split(words).length - 1;

test('a take-over begins past what was seen, and a later one from the same state begins later', () => {
  const now = Date.UTC(2026, 0, 1);
  expect(epochOfTakeOver(0, now)).toBe(now);
  for (const seen of [0, 40, 1_000_000_050, now - 86_400_000, now - 1, now, now + 5, now + 90_000_000]) {
    const [first, second] = [epochOfTakeOver(seen, now), epochOfTakeOver(seen, now + 7)];
    expect(first).toBeGreaterThanOrEqual(seen + 1_000_000);
    expect(second).toBeGreaterThan(first);
  }
});

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  let first: Instance;
  const watches: InstanceWatch[] = [];
  const fileOf = (machine: string) => join(folder, `${kind}-${machine}`, 'epoch.json');
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

  const makeMachine = (machine: string) => mkdirSync(join(folder, `${kind}-${machine}`));
  const remember = (machine: string, instance: string, epoch: number) => {
    makeMachine(machine);
    writeFileSync(fileOf(machine), JSON.stringify({ instance, epoch }));
  };
  const change = (changes: Partial<Instance>) =>
    stores.two.durable.updateTable('instance').set(changes).execute();
  const present = () => readInstance(stores.two.durable);

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(stores.one.durable);
    first = { ...(await present()), place: await stores.one.place() };
  });

  beforeEach(async () => {
    await change(first);
    await stores.one.durable.deleteFrom('grants').execute();
    await insertGrant(stores.one.durable, grantRow('g1'));
    logged = '';
  });

  afterEach(async () => {
    for (const watch of watches.splice(0)) await watch.stop();
  });

  afterAll(() => stores.close());

  test('a database that was never served, holds grants and is not the remembered one is a copy from before the upgrade', async () => {
    remember('upgraded', 'another', 5);
    const command = await openOn('upgraded');
    expect(command.why()).toContain('this one may be a copy from before the upgrade');
    expect(await present()).toMatchObject({ state: 'original' });
    const watch = await openOn('upgraded');
    await watch.start();
    await until(async () => (await present()).state === 'copy');
    await watch.look();
    expect(watch.why()).toContain('this one may be a copy from before the upgrade');
    expect(keptBy('upgraded')).toEqual({ instance: 'another', epoch: 5 });
    expect(await present()).toMatchObject({ epoch: 0 });
    expect(timesLogged('ALARM: this is a restored copy')).toBe(1);
  });

  const PLAIN = 'Once the original is stopped for good: grantbridge restore --take-over';

  describe.each([
    ['restored', { state: 'copy', epoch: 5 }, PLAIN],
    ['moved', { place: '1234567890/1', epoch: 5 }, PLAIN],
    [
      'older',
      { epoch: 4 },
      'Put the newer database back. If it is gone for good: grantbridge restore --take-over',
    ],
    ['upgraded', { epoch: 0 }, PLAIN],
  ] as const)('a copy found as %s', (found, changes, plain) => {
    const id = () => (found === 'upgraded' ? 'another' : first.id);
    const keep = (machine: string, database: string) => {
      makeMachine(machine);
      writeFileSync(fileOf(machine), JSON.stringify({ instance: id(), epoch: 5, database }));
    };

    test('is taken over where VAR_DIR belongs to no other database', async () => {
      const machine = `${found}-own`;
      const database = openEpochFile(fileOf(machine), stores.location).nameOf(first.place);
      keep(machine, database);
      await change(changes);
      const watch = await openOn(machine);
      expect([watch.isCopy(), watch.remedy()]).toEqual([true, plain]);
      await watch.start();
      expect(logged).toContain(plain);
    });

    test('needs a VAR_DIR of its own where VAR_DIR belongs to another one, or a word that the other is gone', async () => {
      keep(`${found}-foreign`, 'sqlite:../production.db');
      await change(changes);
      const watch = await openOn(`${found}-foreign`);
      expect(watch.remedy()).not.toContain(plain);
      expect(watch.remedy()).toMatch(
        /VAR_DIR belongs to another database.*separate VAR_DIR.*--replace-original/,
      );
      expect(watch.remedy()).not.toContain(folder);
      await watch.start();
      expect(logged).toContain('restore --take-over --replace-original');
    });
  });

  test('a database that replaced another one under a bridge may be sound, and needs a new start alone', async () => {
    makeMachine('replaced');
    const watch = await openOn('replaced');
    await watch.start();
    await change({ id: 'another' });
    await until(() => watch.isCopy());
    expect(watch.remedy()).toBe('Start the bridge again');
    expect(logged).not.toContain('--take-over');
  });

  test('it is none without a live grant, where nothing is remembered, and once it was served', async () => {
    await stores.one.durable.updateTable('grants').set({ state: 'dead', dead_cause: 'lost' }).execute();
    remember('empty', 'another', 5);
    expect((await openOn('empty')).isCopy()).toBe(false);
    await change({ epoch: 1 });
    await stores.one.durable.updateTable('grants').set({ state: 'ready', dead_cause: null }).execute();
    expect((await openOn('empty')).isCopy()).toBe(false);
    await change({ epoch: 0 });
    makeMachine('fresh');
    const watch = await openOn('fresh');
    await watch.start();
    expect([watch.isCopy(), watch.seen().epoch]).toEqual([false, 1]);
  });

  test('a process that still knows the memory of before another process began is no judge', async () => {
    remember('shared', 'another', 5);
    await stores.one.durable.deleteFrom('grants').execute();
    const late = await openOn('shared');
    await (await openOn('shared')).start();
    await insertGrant(stores.one.durable, grantRow('g1'));
    await change({ epoch: 0 });
    expect(keptBy('shared')).toMatchObject({ instance: first.id });
    await late.look();
    expect(late.isCopy()).toBe(false);
  });

  test('a database with grants that was given no place yet is named once, for it may be a restored dump', async () => {
    await change({ place: '' });
    makeMachine('dump');
    expect((await openOn('dump')).isCopy()).toBe(false);
    await openOn('dump');
    expect(timesLogged('if this is a restored dump')).toBe(kind === 'postgres' ? 1 : 0);
    await stores.one.durable.deleteFrom('grants').execute();
    await change({ place: '' });
    logged = '';
    await openOn('dump');
    expect(logged).toBe('');
  });

  test('the server of a place is filled in once it is known, and warned of while it is not', async () => {
    const [server = '', number = ''] = first.place.split('/');
    await change({ place: `/${number}` });
    makeMachine('server');
    const unknowing = await openOn('server', { ...stores.one, place: async () => `/${number}` });
    await unknowing.start();
    expect(await present()).toMatchObject({ place: `/${number}` });
    expect(timesLogged('may not read pg_control_system()')).toBe(1);
    if (kind === 'sqlite') return;
    const knowing = await openOn('server');
    await knowing.start();
    expect(await present()).toMatchObject({ place: `${server}/${number}` });
    expect([unknowing.isCopy(), knowing.isCopy()]).toEqual([false, false]);
    expect(timesLogged('may not read pg_control_system()')).toBe(1);
  });

  test('of two looks that overlap the later one counts', async () => {
    makeMachine('overlap');
    let letGo: (() => void) | undefined;
    let isHeld = false;
    const place = async () => {
      if (isHeld) await new Promise<void>((resolve) => (letGo = resolve));
      return stores.one.place();
    };
    const watch = await openOn('overlap', { ...stores.one, place });
    isHeld = true;
    const earlier = watch.look();
    await until(() => letGo !== undefined);
    isHeld = false;
    await change({ state: 'copy' });
    await watch.look();
    expect(watch.isCopy()).toBe(true);
    letGo?.();
    await earlier;
    expect(watch.isCopy()).toBe(true);
  });

  test('a memory that cannot be written stops nothing, is named once, and is good again when it can be', async () => {
    await change({ epoch: 1 });
    const watch = await openOn('nowhere');
    await watch.start();
    watch.noteClaim();
    await until(async () => (await present()).epoch === 2);
    expect([watch.isCopy(), watch.findProblem()]).toEqual([false, 'VAR_DIR/epoch.json cannot be written']);
    expect(existsSync(fileOf('nowhere'))).toBe(false);
    makeMachine('nowhere');
    await until(() => watch.findProblem() === undefined);
    expect(keptBy('nowhere')).toEqual({ instance: first.id, epoch: 2 });
    expect(timesLogged('"level":"error"')).toBe(1);
  });

  test('while the epoch cannot be raised it still looks, and a stop raises it without a rest', async () => {
    await change({ epoch: 1 });
    makeMachine('unraised');
    const { durable } = stores.two;
    const body = kind === 'sqlite' ? "select raise(abort, 'no')" : "raise exception 'no'; return null";
    if (kind === 'postgres')
      await sql`create function refuse() returns trigger language plpgsql as ${sql.lit(`begin ${body}; end`)}`.execute(
        durable,
      );
    const event = 'create trigger unraised before update on instance';
    await (kind === 'sqlite'
      ? sql`${sql.raw(`${event} when new.epoch > old.epoch begin ${body}; end`)}`
      : sql`${sql.raw(`${event} for each row when (new.epoch > old.epoch) execute function refuse()`)}`
    ).execute(durable);
    const watch = await openOn('unraised');
    await watch.start();
    watch.noteClaim();
    await until(() => logged.includes('the epoch of the database could not be raised'));
    await change({ state: 'copy' });
    // Sooner than after the five seconds of a rest.
    await until(() => watch.isCopy(), 4_500);
    await change({ state: 'original' });
    await until(() => !watch.isCopy(), 4_500);
    await sql`${sql.raw(`drop trigger unraised ${kind === 'postgres' ? 'on instance' : ''}`)}`.execute(
      durable,
    );
    await watch.stop();
    expect(await present()).toMatchObject({ epoch: 2 });
    expect(keptBy('unraised')).toMatchObject({ epoch: 2 });
    expect(timesLogged('could not be raised')).toBe(1);
  });
});
