import type { Context } from '../../../src/domain/context.ts';
import { noteLastUse } from '../../../src/domain/reminders/note-last-use.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { dayOf } from '../../../src/shared/moments.ts';
import type { Database } from '../../../src/store/driver/store.ts';
import { addUsage } from '../../../src/store/usage/usage.ts';
import { databaseKinds } from '../../store/support/stores.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { addApp, emptyGround, type Ground, openGround } from '../support/planning-ground.ts';

/** The last uses of very many tokens: no statement is about many of them, and a stop ends the keeping between two. */

const TOKENS = 1000;
/** A statement about as many tokens takes some milliseconds, wherever the tokens lie in the file. */
const CHANGED_MOST = 100;
/** By this statement some uses are kept, and most are not. */
const STOPPED_AT = 3;

const clock = new SettableClock(Date.parse('2027-01-02T09:00:00Z'));
const idOf = (token: number) => `token-${String(token).padStart(6, '0')}`;
let ground: Ground;
let context: Context;

/** All tokens were used yesterday and today. */
async function useAll({ store }: Context, clientId: string): Promise<void> {
  const now = clock.now();
  const ids = Array.from({ length: TOKENS }, (_, token) => idOf(token));
  const token = { client_id: clientId, state: 'unmapped', source: 'imported', created_at: 0 } as const;
  await store.durable
    .insertInto('mappings')
    .values(ids.map((id) => ({ ...token, id, token_digest: id, updated_at: 0 })))
    .execute();
  const call = { endpoint: '/1/user.json', carrier: 'header', user_agent: 'test', outcome: 'ok', calls: 1 };
  const usesOf = (at: number) => ids.map((id) => ({ ...call, mapping_id: id, day: dayOf(at), last_at: at }));
  await addUsage(store, [...usesOf(now - DAY), ...usesOf(now)]);
}

/** The database with a look at the number of rows that each statement changes. */
function watched(db: Database, note: (rows: number) => void): Database {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      note(Number(result.numAffectedRows ?? 0));
      return result;
    },
  });
}

const keptOf = async ({ store }: Context) =>
  (await store.durable.selectFrom('mappings').select('id').where('last_used_at', 'is not', null).execute())
    .length;

describe.each(databaseKinds)('on %s the last uses of a thousand tokens', (kind) => {
  beforeAll(async () => {
    ground = await openGround(kind, clock);
    context = await ground.open();
  });
  afterAll(() => ground.close());

  beforeEach(async () => {
    await emptyGround(context);
    await useAll(context, await addApp(context));
  });

  test('are kept a few at a time, the later day last', async () => {
    const changed: number[] = [];
    const aside = watched(context.store.aside, (rows) => changed.push(rows));
    await noteLastUse({ ...context, store: { ...context.store, aside } });
    expect(Math.max(...changed)).toBeLessThanOrEqual(CHANGED_MOST);
    const rows = await context.store.durable.selectFrom('mappings').select('last_used_at').execute();
    expect(new Set(rows.map((row) => row.last_used_at))).toEqual(new Set([clock.now()]));
  });

  test('are kept in part when the process stops, and the next start keeps the rest', async () => {
    const stopping = new AbortController();
    let moves = 0;
    const aside = watched(context.store.aside, (rows) => {
      moves += rows === 0 ? 0 : 1;
      if (moves === STOPPED_AT) stopping.abort();
    });
    const shutdown = { ...context.shutdown, signal: stopping.signal };
    const own = { ...context, store: { ...context.store, aside }, shutdown };
    await expect(noteLastUse(own)).rejects.toMatchObject({ name: 'AbortError' });
    expect(moves).toBe(STOPPED_AT);
    const kept = await keptOf(context);
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(TOKENS);
    await noteLastUse(context);
    expect(await keptOf(context)).toBe(TOKENS);
  });
});
