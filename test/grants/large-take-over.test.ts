import { sql } from 'kysely';
import { lookingStoppedUntil } from '../../src/domain/grants/refresh/stop/refresh-breaker.ts';
import { keepAppAndAccount, keepGrant } from '../store/support/rows.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Grants of a large fleet that are found spent after a take-over, while nobody calls: few are looked into a minute. */

/** So many that one in a thousand would be more than are looked into within a minute. */
const LARGE = 70_000;

const clock = new SettableClock();
let system: System;

const durable = () => system.bridge.context.store.durable;
const stopped = () => lookingStoppedUntil(system.bridge.context);

/** The columns that a copy of a row shares with it. */
async function columnsOf(table: 'accounts' | 'grants', except: readonly string[]) {
  const row: object = await durable().selectFrom(table).selectAll().executeTakeFirstOrThrow();
  const names = Object.keys(row).filter((name) => !except.includes(name));
  return sql.join(names.map((name) => sql.ref(name)));
}

beforeAll(async () => {
  system = await startSystem({ clock });
  await keepAppAndAccount(durable());
  await keepGrant(durable(), 'g', { state: 'in_doubt', restored_at: clock.now() });
  const numbers = sql`numbers (n) as (select 1 union all select n + 1 from numbers where n < ${LARGE})`;
  const ofAccounts = await columnsOf('accounts', ['account_id']);
  await sql`with recursive ${numbers} insert into accounts (account_id, ${ofAccounts})
    select 'account-' || n, ${ofAccounts} from accounts, numbers`.execute(durable());
  const ofGrants = await columnsOf('grants', ['id', 'account_id']);
  await sql`with recursive ${numbers} insert into grants (id, account_id, ${ofGrants})
    select 'g-' || n, 'account-' || n, ${ofGrants} from grants, numbers`.execute(durable());
}, 60_000);

afterAll(() => system.stop());

async function findSpent(first: number, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, at) => `g-${first + at}`);
  const dead = { state: 'dead', dead_cause: 'superseded', dead_at: clock.now() } as const;
  await durable().updateTable('grants').set(dead).where('id', 'in', ids).execute();
}

test('twenty-five accounts within a minute stop the looking for five minutes, however large the fleet is', async () => {
  await findSpent(1, 24);
  expect(await stopped()).toBe(0);
  await findSpent(25, 1);
  expect(await stopped()).toBe(clock.now() + 300_000);
  clock.advance(300_000);
  expect(await stopped()).toBe(0);
});
