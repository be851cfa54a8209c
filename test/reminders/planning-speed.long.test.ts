import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import type { Context } from '../../src/domain/context.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { isSqlite } from '../../src/store/driver/many-rows.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { databaseKinds } from '../store/support/stores.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { openGround, sendAll, setDate } from './support/planning-ground.ts';

/**
 * Planning for 10,000 people with 100,000 tokens takes less than a minute, in memory that does not grow with their number,
 * and holds up the process for moments only.
 */

const [PEOPLE, TOKENS, APPS] = [10_000, 100_000, 2_000];
const RETIREMENT = '2027-02-01T12:00:00Z';
const at = (days: number) => Date.parse('2027-02-01T15:00:00Z') - days * DAY;

/** Most accounts are known by an id, some by an e-mail alone; apps have owners of both kinds; a third of the tokens works. */
async function fill({ store, clock }: Context): Promise<void> {
  const { durable } = store;
  const now = clock.now();
  const numbers = (count: number) =>
    isSqlite(durable)
      ? sql`(with recursive n (n) as (select 1 union all select n + 1 from n where n < ${sql.lit(count)}) select n from n) as n`
      : sql`generate_series(1, ${sql.lit(count)}) as n (n)`;
  const known = sql.lit(PEOPLE * 0.8);
  await sql`insert into accounts (account_id, email, name, timezone, updated_at)
    select 'account-' || n, 'person-' || n || '@example.org', 'Person ' || n,
      case n % 3 when 0 then 'Europe/Berlin' when 1 then 'America/New_York' else null end, ${now}
    from ${numbers(PEOPLE * 0.8)}`.execute(durable);
  await sql`insert into apps (client_id, name, owner_account_id, owner_email, source, created_at)
    select 'app-' || n, 'App ' || n, case when n % 2 = 0 then 'account-' || n end,
      case when n % 2 = 1 then 'person-' || (${known} + n) || '@example.org' end, 'imported', ${now}
    from ${numbers(APPS)}`.execute(durable);
  const person = sql`(1 + n % ${sql.lit(PEOPLE)})`;
  for (let start = 0; start < TOKENS; start += 10_000)
    await sql`insert into mappings (id, token_digest, client_id, account_id, account_email, state, source, created_at,
        updated_at, last_used_at)
      select 'token-' || n, 'token-' || n, 'app-' || (1 + n * 7 % ${sql.lit(APPS)}),
        case when ${person} <= ${known} then 'account-' || ${person} end,
        case when ${person} > ${known} then 'person-' || ${person} || '@example.org' end,
        case when n % 3 = 0 then 'active' else 'unmapped' end, 'imported', ${now}, ${now}, ${now}
      from (select n + ${sql.lit(start)} as n from ${numbers(10_000)}) as n`.execute(durable);
  // PostgreSQL does so by itself within a minute.
  await sql`analyze`.execute(durable);
}

/** Each token was used today in three ways. */
async function use({ store, clock }: Context): Promise<void> {
  const { durable, volatile } = store;
  const now = clock.now();
  for (let start = 1; start <= TOKENS; start += 10_000) {
    const ids = Array.from({ length: 10_000 }, (_, n) => `token-${start + n}`);
    const each = isSqlite(durable)
      ? sql`(select value as id from json_each(${JSON.stringify(ids)})) as t`
      : sql`json_array_elements_text(${JSON.stringify(ids)}) as t (id)`;
    for (const endpoint of ['/1/user.json', '/1/profiles.json', '/1/analytics.json'])
      await sql`insert into usage (mapping_id, day, endpoint, carrier, user_agent, outcome, calls, last_at)
        select id, ${dayOf(now)}, ${endpoint}, 'header', 'test', 'ok', 10, ${now} from ${each} where true
        on conflict do nothing`.execute(volatile);
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What a planning took; memory and time in which the process did nothing else. */
async function measure(context: Context) {
  let longest = 0;
  let looked = performance.now();
  const beat = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - looked);
    looked = now;
  }, 1);
  const sizes: Array<{ rss: number; heapUsed: number }> = [];
  const sampler = setInterval(() => {
    collectGarbage();
    sizes.push(process.memoryUsage());
    looked = performance.now();
  }, 500);
  const [begun, busy] = [performance.now(), process.cpuUsage()];
  const made = await planReminders(context);
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(busy);
  clearInterval(beat);
  clearInterval(sampler);
  const early = sizes[Math.floor(sizes.length / 5)];
  const last = sizes.at(-1);
  const grown = (name: 'rss' | 'heapUsed') =>
    Math.round(((last?.[name] ?? 0) - (early?.[name] ?? 0)) / 1024 / 1024);
  return {
    made,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    heldMs: Math.round(longest),
    rssMiB: grown('rss'),
    heapMiB: grown('heapUsed'),
  };
}

test.each(databaseKinds)(
  'on %s',
  async (kind) => {
    const clock = new SettableClock(at(31));
    const ground = await openGround(kind, clock);
    try {
      const context = await ground.open();
      await fill(context);
      await setDate(context, 'retirement', RETIREMENT);
      const planAt = async (name: string, time: number) => {
        clock.set(time);
        await use(context);
        await sendAll(context);
        const found = await measure(context);
        process.stdout.write(`${kind}, ${name}: ${JSON.stringify(found)}\n`);
        expect(found.seconds).toBeLessThan(60);
        expect(found.heapMiB).toBeLessThan(30);
        return found.made;
      };
      expect(await planAt('T-30', at(30))).toBe(PEOPLE);
      expect(await planAt('a quarter of an hour later', at(30) + 15 * MINUTE)).toBe(0);
      expect(await planAt('a day with nothing new', at(20))).toBe(0);
      expect(await planAt('T-0', at(0))).toBe(PEOPLE);
      expect(await planAt('the day after', at(-1))).toBe(0);
    } finally {
      await ground.close();
    }
  },
  600_000,
);
