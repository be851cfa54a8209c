import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { resolveDoubts } from '../../src/domain/grants/resolve-doubts.ts';
import { findGrant } from '../../src/store/grants/grants.ts';
import type { Grant } from '../../src/store/tables/tables.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** What becomes of a presentation without an outcome when nobody calls, and of a pair that the database cannot take. */

/** A clock of which the wall's part may be set while no time really passes. */
class TwoClocks extends SettableClock {
  waited = 0;
  override elapsed(): number {
    return this.waited;
  }
  wait(ms: number): void {
    this.waited += ms;
    this.advance(ms);
  }
}

const VAR_DIR = mkdtempSync(join(tmpdir(), 'unsettled-'));
const HOUR = 3_700_000;
const clock = new TwoClocks();
let system: System;
let other: Sqlite.Database;

const profiles = (token: string) => read(system, '/1/profiles.json', token);
const store = () => system.bridge.context.store;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0', VAR_DIR };
  system = await startSystem({ clock, env });
  other = new Sqlite(join(VAR_DIR, 'bridge.db'));
});

afterAll(async () => {
  other.close();
  await system.stop();
  rmSync(VAR_DIR, { recursive: true, force: true });
});

beforeEach(async () => {
  Object.assign(system.proxy, { onTokenCall: undefined, onTokenAnswer: undefined });
  await store().durable.updateTable('grants').set({ state: 'dead' }).execute();
});

async function countEvents(): Promise<number> {
  return (await store().durable.selectFrom('events').selectAll().execute()).length;
}

async function liveGrant(): Promise<Grant> {
  const query = store().durable.selectFrom('grants').selectAll().where('state', '<>', 'dead');
  return query.executeTakeFirstOrThrow();
}

/** A token whose refresh was cut off, so that nobody knows whether its refresh token is spent. */
async function doubtful() {
  const token = await issueToken(system);
  await profiles(token);
  clock.wait(HOUR);
  system.proxy.onTokenCall = () => {
    throw new Error('cut');
  };
  await profiles(token);
  system.proxy.onTokenCall = undefined;
  const grant = await liveGrant();
  expect(grant.state).toBe('in_doubt');
  const before = system.proxy.refreshes().length;
  return {
    token,
    sent: () => system.proxy.refreshes().length - before,
    row: async () => (await findGrant(store().durable, grant.id)) ?? grant,
    history: async () => {
      const events = store().durable.selectFrom('events').select('action').where('grant_id', '=', grant.id);
      return (await events.orderBy('id').execute()).map(({ action }) => action);
    },
  };
}

test('a grant in doubt is settled after the quiet time without a caller, and the history tells of it', async () => {
  const { sent, row, history } = await doubtful();
  clock.wait(299_000);
  await resolveDoubts(system.bridge.context);
  expect(sent()).toBe(0);
  clock.wait(2_000);
  await resolveDoubts(system.bridge.context);
  expect(sent()).toBe(1);
  expect(await row()).toMatchObject({ state: 'ready', version: 2, doubt_since: null });
  expect(await history()).toEqual(['granted', 'token_issued', 'refresh_in_doubt', 'refresh_recovered']);
});

test('a wall clock that jumps ahead does not shorten the quiet time', async () => {
  const { sent, row } = await doubtful();
  clock.advance(86_400_000);
  await resolveDoubts(system.bridge.context);
  expect(sent()).toBe(0);
  expect((await row()).state).toBe('in_doubt');
  clock.wait(301_000);
  await resolveDoubts(system.bridge.context);
  expect(sent()).toBe(1);
});

test('a process that sees a claim for the first time waits the whole quiet time itself', async () => {
  const { sent, row } = await doubtful();
  clock.wait(301_000);
  const { claim_id: claim } = await row();
  const newer = { claim_id: `${claim}-of-another-process` };
  await store().durable.updateTable('grants').set(newer).where('claim_id', '=', claim).execute();
  await resolveDoubts(system.bridge.context);
  expect(sent()).toBe(0);
  clock.wait(301_000);
  await resolveDoubts(system.bridge.context);
  expect(sent()).toBe(1);
});

test('a routine refresh is no history', async () => {
  const token = await issueToken(system);
  clock.wait(HOUR);
  const before = await countEvents();
  expect((await profiles(token)).status).toBe(200);
  expect((await liveGrant()).version).toBe(2);
  expect(await countEvents()).toBe(before);
});

test('a pair that the database cannot take lies sealed in the spill until it can', async () => {
  const token = await issueToken(system);
  clock.wait(HOUR);
  let received = '';
  other.pragma('legacy_alter_table = on');
  system.proxy.onTokenAnswer = (_call, answer) => {
    received = answer.body.toString();
    other.exec('alter table grants rename to hidden');
    return answer;
  };
  const folder = join(VAR_DIR, 'spill');
  const files = () => readdirSync(folder, { withFileTypes: true }).map(({ name }) => join(folder, name));
  const call = profiles(token);
  await until(() => received !== '' && statSync(folder, { throwIfNoEntry: false }) !== undefined);
  await until(() => files().some((file) => file.endsWith('.pair')));
  const [file = ''] = files();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const pair = JSON.parse(received) as Record<string, string>;
  const text = readFileSync(file, 'utf8');
  for (const name of ['access_token', 'refresh_token']) {
    expect(pair[name]).toMatch(/.{20}/);
    expect(text).not.toContain(pair[name]);
  }
  other.exec('alter table hidden rename to grants');
  expect((await call).status).toBe(200);
  expect(await liveGrant()).toMatchObject({ state: 'ready', version: 2 });
  await until(() => files().length === 0);
  expect(files()).toEqual([]);
});

test.each([
  ['an earlier version', -1, { state: 'ready', version: 2 }, 1],
  ['this version', 0, { state: 'in_doubt', version: 1 }, 0],
])(
  'a grant in doubt beside a pair of another database for %s',
  async (_which, older, settled, presentations) => {
    const { sent, row } = await doubtful();
    const { context } = system.bridge;
    const { id: grantId, version, ...grant } = await row();
    const pair = {
      accessTokenSealed: grant.access_token_sealed ?? '',
      refreshTokenSealed: grant.refresh_token_sealed ?? '',
      scope: grant.scope,
      accessExpiresAt: 0,
      refreshAt: 0,
    };
    const owner = { ...context.instance.pairOwner(), address: 'sqlite:/srv/copy.db', ownsFolder: false };
    const foreign = { grantId, version: version + older, pair, owner };
    await context.spill.write(foreign);
    clock.wait(301_000);
    await resolveDoubts(context);
    expect(await row()).toMatchObject(settled);
    expect(sent()).toBe(presentations);
    expect((await context.spill.list()).entries).toMatchObject([foreign]);
    await context.spill.remove(foreign);
  },
);
