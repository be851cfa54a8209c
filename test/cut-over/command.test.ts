import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { addApp } from '../../src/cli/commands/apps/apps.ts';
import { cutOver } from '../../src/cli/commands/apps/cut-over.ts';
import { changeDate } from '../../src/cli/commands/dates/dates.ts';
import { doctor } from '../../src/cli/commands/doctor.ts';
import { extend } from '../../src/cli/commands/dates/extensions.ts';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import type { Result } from '../../src/cli/commands/result.ts';
import { withContext } from '../../src/cli/commands/with-context.ts';
import { isMovedEarly } from '../../src/domain/cut-over/moved-early.ts';
import { keepMovingCalls, outlookOfRetirement } from '../../src/domain/cut-over/outlook.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { dayOf, momentText } from '../../src/shared/moments.ts';
import { storeBudget } from '../../src/store/limits/budgets.ts';
import { countCallsSince } from '../../src/store/usage/known-calls.ts';
import { chooseDatabase } from '../support/bridge/started-bridge.ts';
import { addPairs, addUse, type ConnectedPair } from './support/pairs.ts';
import { CAN_BE_TAKEN_BACK } from './support/taken-back.ts';

/** The command that cuts an app over, and what commands say of the budget before calls move. */

const before = process.env;
const varDir = mkdtempSync(join(tmpdir(), 'cut-over-'));
let database: Awaited<ReturnType<typeof chooseDatabase>>;
let clientId: string;
let pairs: ConnectedPair[];

const NO_POSTS = 'account:read offline_access';

beforeAll(async () => {
  database = await chooseDatabase();
  process.env = {
    VAR_DIR: varDir,
    LOG_LEVEL: 'error',
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
    LEGACY_BACKEND_URL: 'http://127.0.0.1:9',
    ...database.settings,
  };
  await migrateDatabase({});
  const app = { name: 'Old App', callback: ['https://old-app.example/callback'], owner: 'a'.repeat(24) };
  clientId = String((await addApp(app)).json['client_id']);
  await withContext(async ({ context }) => {
    await countCallsSince(context.store, 0);
    const connected = await addPairs(context, { clientId, count: 18 });
    pairs = [...connected, ...(await addPairs(context, { clientId, count: 2, scope: NO_POSTS }))];
    const day = dayOf(context.clock.now() - DAY);
    for (const { mappingId } of pairs) {
      const use = { mapping_id: mappingId, day, calls: 5 };
      await addUse(context, { ...use, endpoint: '/1/updates/create.json' });
      await addUse(context, { ...use, endpoint: '/1/profiles.json', calls: 500 });
      await addUse(context, { ...use, endpoint: '/1/updates/:id.json', calls: 90, outcome: 'refused' });
    }
  });
});

afterAll(async () => {
  process.env = before;
  await database.remove();
  rmSync(varDir, { recursive: true, force: true });
});

const cut = (percent: string, options: object = {}): Promise<Result> =>
  cutOver({ percent, reason: 'asked for', ...options }, [clientId]);

const percentNow = () =>
  withContext(async ({ context }) => {
    const { durable } = context.store;
    const row = await durable.selectFrom('apps').select('cut_over_percent').executeTakeFirstOrThrow();
    return row.cut_over_percent;
  });

/** What the new API told the bridge last. */
const tell = (limit: number, left: number) =>
  withContext(async ({ context }) => {
    const now = context.clock.now();
    await storeBudget(context.store, {
      modern_client_id: 'bridge',
      share_permille: Math.round((left / limit) * 1000),
      said_at: now,
      valid_until: now + DAY,
      paused_until: 0,
      windows: JSON.stringify([{ limit, left, seconds: 86_400, validMs: DAY }]),
    });
  });

test.each(['101', '-1', '1.5', 'half', ''])('--percent %s is wrong usage', async (percent) => {
  await expect(cut(percent)).rejects.toThrow('--percent: must be a whole number from 0 to 100');
});

test('without a terminal an unknown budget needs --yes, and nothing is changed until then', async () => {
  const refused = await cut('100');
  expect(refused.ok).toBe(false);
  expect(refused.json).toMatchObject({ percent: 100, before: 0, changed: false, needs_yes: true });
  const lines = refused.lines.join('\n');
  expect(lines).toContain('20 accounts with 20 tokens');
  expect(lines).toContain('they made 100 calls that will cost 200 requests');
  expect(lines).toContain('has not told its budget');
  expect(lines).toContain('A client of its own gives an app a budget of its own');
  expect(lines).toContain('2 accounts with 2 tokens never consented to posts:read and posts:write');
  expect(lines).toContain('add --yes');
  expect(await percentNow()).toBe(0);
  const done = await cut('100', { yes: true });
  expect([done.ok, done.json, await percentNow()]).toMatchObject([true, { changed: true }, 100]);
});

test('a way back needs no confirmation and says how many go', async () => {
  const back = await cut('0');
  expect([back.ok, back.json, await percentNow()]).toMatchObject([true, { before: 100, changed: true }, 0]);
  expect(back.lines.join('\n')).toContain('20 accounts go back');
});

test('a budget that does not suffice is told with its figures and needs --yes', async () => {
  await tell(250, 200);
  const refused = await cut('100');
  expect(refused.ok).toBe(false);
  expect(refused.lines.join('\n')).toContain(
    'In 1 day the client may send 250 requests, of which 225 serve calls. 50 are used and about 200 will be added: NOT enough.',
  );
});

test('the reckoning knows which accounts move: a part of them is a part of the calls', async () => {
  await tell(500, 100);
  const moving = pairs.filter(({ accountId }) => isMovedEarly({ clientId, accountId }, 50)).length;
  const { json } = await cut('50', { yes: true });
  const [outlook] = json['outlook'] as Array<{ accounts: number; requests: number }>;
  expect([outlook?.accounts ?? 0, outlook?.requests ?? 0]).toEqual([moving, 10 * moving]);
  const rest = (await cut('100', { yes: true })).json['outlook'] as Array<{ accounts: number }>;
  expect(rest[0]?.accounts ?? 0).toBe(20 - moving);
  await cut('0');
});

test('a budget that suffices needs no confirmation', async () => {
  await tell(500, 500);
  const done = await cut('100');
  expect([done.ok, done.json, await percentNow()]).toMatchObject([
    true,
    { changed: true, outlook: [{ verdict: 'suffices', busiest_day: expect.any(String) }] },
    100,
  ]);
  await cut('0');
});

const budgetFinding = async () => {
  const { json } = await doctor();
  const findings = json['findings'] as Array<{ check: string; state: string; detail: string }>;
  return findings.find(({ check }) => check === 'budget');
};

test('doctor says whether the budget suffices for what the retirement will move', async () => {
  await tell(500, 500);
  expect(await budgetFinding()).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/^at the retirement, 20 accounts .* suffices for the calls that move/),
  });
  await tell(500, 100);
  expect(await budgetFinding()).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/^at the retirement.*NOT enough.*A client of its own/),
  });
});

test('a retirement is set with a budget that does not suffice only with --yes', async () => {
  await tell(500, 100);
  const at = new Date(Date.now() + 60 * DAY).toISOString();
  const reason = { reason: 'decided' };
  await expect(changeDate(reason, ['retirement', at])).rejects.toThrow('add --yes');
  const set = await changeDate({ ...reason, yes: true }, ['retirement', at]);
  expect(set.json).toMatchObject({ changed: true, outlook: [{ verdict: 'short' }] });
  await tell(500, 500);
  const later = new Date(Date.now() + 61 * DAY).toISOString();
  expect((await changeDate(reason, ['retirement', later])).lines.join(' ')).toContain('The budget');
});

test('of more tokens than may be looked at the last count serves', async () => {
  await withContext(async ({ context }) => {
    expect(await outlookOfRetirement(context, 0)).toBeUndefined();
    await keepMovingCalls(context);
    const [kept, live] = [await outlookOfRetirement(context, 0), await outlookOfRetirement(context, 1000)];
    expect(kept).toMatchObject([{ accounts: 20, need: { requests: 200 } }]);
    expect(kept).toEqual(live?.map((one) => ({ ...one, countedAt: expect.any(Number) as number })));
    await context.store.volatile.updateTable('moving_calls').set({ body: '{}' }).execute();
    expect(await outlookOfRetirement(context, 0)).toBeUndefined();
  });
});

test('a date is set with a word where the tokens are too many to count', async () => {
  await withContext(async ({ context }) => {
    await context.store.volatile.deleteFrom('moving_calls').execute();
    await sql`
      insert into mappings (id, token_digest, client_id, account_id, grant_id, state, source, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 20001)
      select 'many ' || n, 'many ' || n, client_id, account_id, grant_id, state, source, created_at, updated_at
      from mappings, numbers where id = ${pairs[0]?.mappingId}`.execute(context.store.durable);
  });
  const at = new Date(Date.now() + 62 * DAY).toISOString();
  const { lines, json } = await changeDate({ reason: 'decided' }, ['retirement', at]);
  expect(lines.join(' ')).toMatch(/not known whether .* suffices .*More than 20,000 tokens are connected/);
  expect(json).toMatchObject({ changed: true, outlook: null });
  await withContext(({ context }) =>
    context.store.durable.deleteFrom('mappings').where('id', 'like', 'many %').execute(),
  );
});

test('after a loss of calls no budget is said to suffice', async () => {
  await withContext(async ({ context }) => {
    expect(await outlookOfRetirement(context, 1000)).toMatchObject([{ verdict: 'suffices' }]);
    await context.store.volatile.deleteFrom('app_calls_begin').execute();
    const counted = { days: 30, isPartial: true };
    expect(await outlookOfRetirement(context, 1000)).toMatchObject([{ verdict: 'unknown', counted }]);
  });
  expect(await budgetFinding()).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining(
      'Not all of the older calls were counted. The calls of 30 days may need more',
    ) as string,
  });
  await withContext(({ context }) => countCallsSince(context.store, 0));
});

test('a budget is not said to suffice for calls that are counted since an hour', async () => {
  const since = Date.now() - 60 * MINUTE;
  await withContext(({ context }) => countCallsSince(context.store, since));
  const told = `Calls are counted since ${momentText(since)}; some may be missing.`;
  expect(await budgetFinding()).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(new RegExp(`${told} .* is not known`)) as string,
  });
  const refused = await cut('100');
  expect([refused.ok, refused.json]).toMatchObject([
    false,
    { outlook: [{ verdict: 'unknown', calls_partial: true, calls_counted_since: momentText(since) }] },
  ]);
  await withContext(({ context }) => countCallsSince(context.store, 0));
});

test('an app without connected tokens is cut over without a question', async () => {
  const app = { name: 'Empty', callback: ['https://empty.example/callback'], owner: 'a'.repeat(24) };
  const empty = String((await addApp(app)).json['client_id']);
  const done = await cutOver({ percent: '50', reason: 'early' }, [empty]);
  expect([done.ok, done.lines.at(-2)]).toEqual([true, 'No connected account of the app moves.']);
  await expect(cutOver({ percent: '50', reason: 'x' }, ['f'.repeat(24)])).rejects.toThrow('No app');
});

describe('after the retirement of all', () => {
  let gone: string;

  beforeAll(async () => {
    await tell(500, 500);
    const until = new Date(Date.now() + 90 * DAY).toISOString();
    await extend({ until, reason: 'asked for' }, [clientId]);
    const app = { name: 'Gone', callback: ['https://gone.example/callback'], owner: 'a'.repeat(24) };
    gone = String((await addApp(app)).json['client_id']);
    await withContext(async ({ context }) => addPairs(context, { clientId: gone, count: 3 }));
    const past = new Date(Date.now() - DAY).toISOString();
    await changeDate({ reason: 'over', force: true, yes: true }, ['retirement', past]);
  });

  test('an app with more time is reckoned, and the last count of it is kept', async () => {
    await withContext(async ({ context }) => {
      await keepMovingCalls(context);
      const [kept, live] = [await outlookOfRetirement(context, 0), await outlookOfRetirement(context, 1000)];
      expect(live).toMatchObject([{ accounts: 20, need: { requests: 200 } }]);
      expect(kept).toEqual(live?.map((one) => ({ ...one, countedAt: expect.any(Number) as number })));
    });
    expect(await budgetFinding()).toMatchObject({
      detail: expect.stringMatching(/^at the retirement, 20 accounts /),
    });
  });

  test('an app whose retirement has come is cut over without a question, and nothing moves', async () => {
    await tell(500, 1);
    const done = await cutOver({ percent: '50', reason: 'early' }, [gone]);
    expect([done.ok, done.json]).toMatchObject([true, { changed: true, outlook: [] }]);
    expect(done.lines).toEqual([
      'The percentage of the app is 50 % now. The percentage was 0 % before.',
      'The retirement of the app has come: the new API already answers all calls of the connected accounts of the app. No call moves now.',
      CAN_BE_TAKEN_BACK,
    ]);
    const asked = await cut('100');
    expect([asked.ok, asked.json]).toMatchObject([false, { needs_yes: true }]);
  });

  test('without an old API nothing moves either', async () => {
    const { LEGACY_BACKEND_URL: url, ...without } = process.env;
    process.env = without;
    const done = await cut('100');
    process.env['LEGACY_BACKEND_URL'] = url;
    expect([done.ok, ...done.lines]).toEqual([
      true,
      'The percentage of the app is 100 % now. The percentage was 0 % before.',
      'LEGACY_BACKEND_URL names no old API: the new API already answers all calls of the connected accounts of the app. No call moves now.',
      CAN_BE_TAKEN_BACK,
    ]);
  });
});
