import { sql } from 'kysely';
import type { Context } from '../../../src/domain/context.ts';
import { loadPerson } from '../../../src/domain/reminders/load-people.ts';
import { planningAt, planReminders } from '../../../src/domain/reminders/plan-reminders.ts';
import type { OwnerPart } from '../../../src/domain/reminders/people.ts';
import { isSqlite } from '../../../src/store/driver/many-rows.ts';
import { databaseKinds } from '../../store/support/stores.ts';
import { shareHeld } from '../../support/bridge/longest-hold.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { addAccount, addApp, type Ground, openGround, setDate } from '../support/planning-ground.ts';

/** An app whose tokens take many statements: what its owner is told of them, and that no caller waits for their count. */

const NOW = Date.parse('2027-01-10T12:00:00Z');
const TOKENS = 60_000;
/** Each has twenty tokens, spread over all of them. */
const HOLDERS = 3000;
/** Of one insertion; more would meet the time limit of PostgreSQL's statements on a busy machine. */
const AT_ONCE = 5000;

/** The largest share of the planning that may be done in a row. In pieces it is a few hundredths. */
const HELD_MOST = 1 / 5;

/** By this statement the planning reads the tokens of the app, and is far from their end. */
const STOPPED_AT = 30;

const clock = new SettableClock(NOW);
let ground: Ground;
let context: Context;
let owner: string;

/** A third is connected, a third waits in two states, a third was revoked; half of the holders are known by an address alone. */
async function fill({ store: { durable } }: Context, clientId: string): Promise<void> {
  const numbers = isSqlite(durable)
    ? sql`(with recursive n (n) as (select 1 union all select n + 1 from n where n < ${sql.lit(AT_ONCE)}) select n from n) as n`
    : sql`generate_series(1, ${sql.lit(AT_ONCE)}) as n (n)`;
  const holder = sql`(n % ${sql.lit(HOLDERS)})`;
  const known = sql.lit(HOLDERS / 2);
  await sql`insert into accounts (account_id, updated_at)
    select 'holder-' || n, 0 from ${numbers} where n < ${known}`.execute(durable);
  for (let begin = 0; begin < TOKENS; begin += AT_ONCE)
    await sql`insert into mappings (id, token_digest, client_id, account_id, account_email, state, source, created_at,
      updated_at, last_used_at)
    select 'token-' || n, 'token-' || n, ${clientId}, case when ${holder} < ${known} and ${holder} > 0 then 'holder-' || ${holder} end,
      case when ${holder} >= ${known} then 'person-' || ${holder} || '@example.org' end,
      case n % 3 when 0 then 'active' when 1 then case when n % 4 = 1 then 'reauthorization_required' else 'unmapped' end
        else 'revoked' end,
      case when n % 7 = 0 then 'registration' else 'imported' end, 0, n, case when n % 2 = 0 then n end
    from (select n + ${sql.lit(begin)} as n from ${numbers}) as n`.execute(durable);
}

/** The same numbers by one statement. */
async function countedAtOnce({ store: { durable } }: Context) {
  const counted = sql`not (state = 'unmapped' and source = 'registration' and last_used_at is null)`;
  const { rows } = await sql<Record<string, number | string>>`
    select count(*) filter (where state <> 'active') as waiting, count(*) filter (where state = 'active') as active,
      count(distinct case when state <> 'active' then coalesce(account_id, account_email) end) as waiting_accounts,
      count(distinct case when state = 'active' then coalesce(account_id, account_email) end) as active_accounts,
      max(last_used_at) as last_used, max(case when state <> 'active' then last_used_at end) as waiting_used,
      max(case when state <> 'active' and last_used_at is null then updated_at end) as known_since
    from mappings where state <> 'revoked' and ${counted}`.execute(durable);
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]));
}

describe.each(databaseKinds)('on %s', (kind) => {
  beforeAll(async () => {
    ground = await openGround(kind, clock);
    context = await ground.open();
    owner = await addAccount(context, { email: 'owner@example.org' });
    await fill(context, await addApp(context, { owner }));
    await setDate(context, 'retirement', '2027-02-01T00:00:00Z');
  }, 120_000);
  afterAll(() => ground.close());

  test('the owner is told of all tokens and of each account once', async () => {
    const loaded = await loadPerson(context, `account:${owner}`, {
      planning: await planningAt(context, NOW),
    });
    if (loaded === undefined) throw new Error('the owner has an app');
    const [{ tokens, accounts, ...times }] = loaded.person.parts as [OwnerPart];
    const all = await countedAtOnce(context);
    expect({ ...tokens }).toEqual({ waiting: all['waiting'], active: all['active'] });
    expect(accounts).toEqual({ waiting: all['waiting_accounts'], active: all['active_accounts'] });
    expect(times).toMatchObject({
      lastUsedAt: all['last_used'],
      waitingUsedAt: all['waiting_used'],
      knownSince: all['known_since'],
    });
    expect(accounts.waiting).toBeGreaterThan(HOLDERS / 4);
  });

  test('no piece of the planning holds up the process', async () => {
    expect(await shareHeld(() => planReminders(context), HELD_MOST)).toBeLessThan(HELD_MOST);
  });

  test('a stop ends the planning within the app', async () => {
    const stopping = new AbortController();
    let statements = 0;
    const durable = context.store.durable.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        statements += 1;
        if (statements === STOPPED_AT) stopping.abort();
        return result;
      },
    });
    const shutdown = { ...context.shutdown, signal: stopping.signal };
    const own = { ...context, store: { ...context.store, durable }, shutdown };
    await expect(planReminders(own)).rejects.toMatchObject({ name: 'AbortError' });
    expect(statements).toBe(STOPPED_AT);
  });
});
