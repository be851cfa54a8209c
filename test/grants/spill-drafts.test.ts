import { mkdirSync, readdirSync, renameSync, rmdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSpill } from '../../src/store/files/spill.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';

/** What a process leaves in the spill that is killed while it writes a pair. */

/** No process can have this number. */
const KILLED = 2 ** 22;

const clock = new SettableClock();
let system: System;
let folder: string;

beforeAll(async () => {
  system = await startSystem({ clock, env: { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0' } });
  ({ folder } = system.bridge.context.spill);
});
afterAll(() => system.stop());

const pair = { accessTokenSealed: 'a', refreshTokenSealed: 'r', scope: '', accessExpiresAt: 0, refreshAt: 0 };
const entry = { grantId: 'ab'.repeat(12), version: 3, pair };
const NAME = `${entry.grantId}.3.pair`;
const draftOf = (pid: number) => join(folder, `${NAME}.${pid}.draft`);

afterEach(async () => {
  for (const file of readdirSync(folder)) await system.bridge.context.spill.remove({ ...entry, file });
});

test('a whole pair without its name is the pair of its grant: its tokens work, and nothing is refreshed', async () => {
  const { store, spill, instance } = system.bridge.context;
  const token = await issueToken(system);
  const grant = await store.durable.selectFrom('grants').selectAll().executeTakeFirstOrThrow();
  const waiting = {
    grantId: grant.id,
    version: grant.version - 1,
    pair: {
      accessTokenSealed: grant.access_token_sealed ?? '',
      refreshTokenSealed: grant.refresh_token_sealed ?? '',
      scope: grant.scope,
      accessExpiresAt: grant.access_expires_at,
      refreshAt: grant.refresh_at,
    },
    owner: instance.pairOwner(),
  };
  const doubt = { state: 'in_doubt', doubt_since: clock.now(), presented_at: clock.now() } as const;
  const changes = { ...doubt, version: waiting.version, access_expires_at: 0, refresh_token_sealed: 'spent' };
  await store.durable.updateTable('grants').set(changes).execute();
  await spill.write(waiting);
  const [file = ''] = readdirSync(folder);
  renameSync(join(folder, file), join(folder, `${file}.${KILLED}.draft`));

  const status = async () => (await read(system, '/1/profiles.json', token)).status;
  expect(await status()).toBe(503);
  clock.advance(301_000);
  expect(await status()).toBe(200);
  expect(system.proxy.refreshes()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['a killed process', KILLED],
  ['an earlier process with the number of this one', process.pid],
])('a whole draft of %s gets its name', async (_whose, pid) => {
  writeFileSync(draftOf(pid), JSON.stringify(entry));
  expect(await openSpill(folder).list()).toEqual({ entries: [{ ...entry, file: NAME }], unreadable: [] });
  expect(readdirSync(folder)).toEqual([NAME]);
});

test('a draft of a killed process whose end is missing held no pair, and is removed', async () => {
  writeFileSync(draftOf(KILLED), JSON.stringify(entry).slice(0, -1));
  expect(await openSpill(folder).list()).toEqual({ entries: [], unreadable: [] });
  expect(readdirSync(folder)).toEqual([]);
});

test('a draft of a process that runs is left to that process', async () => {
  const draft = draftOf(process.ppid);
  for (const text of [JSON.stringify(entry), '{']) {
    writeFileSync(draft, text);
    expect(await openSpill(folder).list()).toEqual({ entries: [], unreadable: [] });
  }
  expect(readdirSync(folder)).toEqual([`${NAME}.${process.ppid}.draft`]);
});

test.each([
  ['half a minute old', -31],
  ['of the future, since the clock was set back', 3600],
])('a whole draft %s gets its name: its number is of another process by now', async (_which, seconds) => {
  const draft = draftOf(process.ppid);
  writeFileSync(draft, JSON.stringify(entry));
  const at = Date.now() / 1000 + seconds;
  utimesSync(draft, at, at);
  expect(await openSpill(folder).list()).toEqual({ entries: [{ ...entry, file: NAME }], unreadable: [] });
  expect(readdirSync(folder)).toEqual([NAME]);
});

test('pairs that are written while others list the folder all come into it', async () => {
  const spill = openSpill(folder);
  const versions = Array.from({ length: 50 }, (_, version) => version);
  const writing = Promise.all(versions.map((version) => spill.write({ ...entry, version })));
  const listing = Promise.all(versions.map(() => openSpill(folder).list()));
  await Promise.all([writing, listing]);
  expect((await spill.list()).entries).toHaveLength(50);
});

test('several processes that find the same draft have its pair once', async () => {
  writeFileSync(draftOf(KILLED), JSON.stringify(entry));
  const lists = await Promise.all(Array.from({ length: 8 }, () => openSpill(folder).list()));
  for (const { unreadable } of lists) expect(unreadable).toEqual([]);
  expect(readdirSync(folder)).toEqual([NAME]);
});

test('a draft that cannot be taken counts as a file that may hold a pair', async () => {
  const draft = `${NAME}.${KILLED}.draft`;
  // A folder cannot be read as a file.
  mkdirSync(join(folder, draft));
  expect(await openSpill(folder).list()).toEqual({ entries: [], unreadable: [draft] });
  rmdirSync(join(folder, draft));
});
