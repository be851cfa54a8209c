import { newAnchors } from '../../src/domain/history/anchor-history.ts';
import { sealHistory } from '../../src/domain/history/seal-history.ts';
import { verifyHistory } from '../../src/domain/history/verify-history.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { seedDemo } from '../../src/demo-data/seed-demo.ts';
import { DANA } from '../owners/support/people.ts';
import { type DemoWorld, startDemoWorld } from './support/demo-world.ts';

/** What a fresh demo holds, so that no page of it is empty at the first look. */

let world: DemoWorld;

beforeAll(async () => {
  world = await startDemoWorld();
});
afterAll(() => world.stop());

const db = () => world.bridge.context.store.durable;

async function states(): Promise<Record<string, number>> {
  const rows = await db().selectFrom('mappings').select('state').execute();
  const counts: Record<string, number> = {};
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

async function rowsIn(): Promise<number[]> {
  const tables = [
    'apps',
    'mappings',
    'grants',
    'events',
    'progress',
    'mails',
    'extensions',
    'staff',
  ] as const;
  const counts = tables.map(async (table) => {
    const all = db()
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number | string>().as('n'));
    return Number((await all.executeTakeFirstOrThrow()).n);
  });
  const { volatile } = world.bridge.context.store;
  const usage = await volatile.selectFrom('usage').select('mapping_id').execute();
  return [...(await Promise.all(counts)), usage.length];
}

test('tokens stand in every state that takes no real grant, and none pretends to be connected', async () => {
  const { active = 0, ...others } = await states();
  expect(active).toBe(0);
  expect(Object.keys(others).toSorted()).toEqual([
    'migrated',
    'reauthorization_required',
    'revoked',
    'unmapped',
  ]);
  const live = await db().selectFrom('grants').select('id').where('state', '<>', 'dead').execute();
  expect(live).toEqual([]);
});

test('a second start changes nothing', async () => {
  const before = await rowsIn();
  const place = { publicUrl: world.bridgeUrl, embedded: { demoPort: 3002 } };
  await seedDemo(world.bridge.context, place, DANA.accountId);
  expect(await rowsIn()).toEqual(before);
});

test('the progress goes back two months and ends at what the tokens are now', async () => {
  const rows = await db().selectFrom('progress').selectAll().orderBy('day').execute();
  const { context } = world.bridge;
  expect(rows[0]?.day).toBe(dayOf(context.clock.now() - 60 * DAY));
  const newest = [...new Map(rows.map((row) => [row.client_id, row])).values()];
  const sum = (state: 'migrated' | 'unmapped' | 'reauthorization_required' | 'revoked') =>
    newest.reduce((total, row) => total + row[state], 0);
  const counted = {
    migrated: sum('migrated'),
    unmapped: sum('unmapped'),
    reauthorization_required: sum('reauthorization_required'),
    revoked: sum('revoked'),
  };
  expect(counted).toEqual(await states());
});

test('every extension gives its app more time, and what was seen in use is known since then', async () => {
  const { retirement = Infinity } = world.bridge.context.lifecycle.current().dates;
  const given = await db().selectFrom('extensions').select(['name', 'until']).execute();
  expect(given.filter(({ name, until }) => name === 'retirement' && until > retirement)).toHaveLength(2);
  const seen = await db()
    .selectFrom('events as e')
    .innerJoin('mappings as m', 'm.id', 'e.mapping_id')
    .select(['e.at', 'm.created_at'])
    .where('e.action', '=', 'token_observed')
    .execute();
  expect(seen.length).toBeGreaterThan(0);
  for (const { at, created_at } of seen) expect(created_at).toBe(at);
});

test('its history holds', async () => {
  const { context } = world.bridge;
  await sealHistory(context);
  const verdict = await verifyHistory(context, newAnchors());
  expect(verdict.finding).toBeUndefined();
});
