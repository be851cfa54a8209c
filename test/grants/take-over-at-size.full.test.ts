import { sql } from 'kysely';
import { takeOver } from '../../src/domain/instance/take-over.ts';
import { keepAppAndAccount, keepGrant } from '../store/support/rows.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/**
 * The take-over of a fleet that one statement could not write down: PostgreSQL ends a transaction that is silent for five
 * seconds, and a statement of ten.
 */

const FLEET = 1600;

/** PostgreSQL itself notes how many entries each statement brings. */
const NOTE_SIZES = [
  'create table sizes_of_statements (entries bigint not null)',
  `create function note_size() returns trigger language plpgsql as $$
     begin insert into sizes_of_statements select count(*) from added; return null; end $$`,
  `create trigger note_sizes after insert on events referencing new table as added
     for each statement execute function note_size()`,
];

let database: TestDatabase;
let system: System;

const durable = () => system.bridge.context.store.durable;

beforeAll(async () => {
  database = await freshDatabase();
  system = await startSystem({ env: { DATABASE_URL: database.url } });
  await keepAppAndAccount(durable());
  await keepGrant(durable(), 'g', { state: 'ready' });
  for (const table of ['accounts', 'grants'] as const) {
    const row: object = await durable().selectFrom(table).selectAll().executeTakeFirstOrThrow();
    const own = table === 'accounts' ? ['account_id'] : ['id', 'account_id'];
    const shared = sql.join(
      Object.keys(row)
        .filter((name) => !own.includes(name))
        .map((name) => sql.ref(name)),
    );
    const names = sql.join(own.map((name) => sql.ref(name)));
    const values = sql.join(own.map((name) => sql`${sql.lit(`${name}-`)} || n`));
    await sql`insert into ${sql.table(table)} (${names}, ${shared})
      select ${values}, ${shared} from ${sql.table(table)}, generate_series(1, ${FLEET}) n`.execute(
      durable(),
    );
  }
  for (const statement of NOTE_SIZES) await sql.raw(statement).execute(durable());
}, 60_000);

afterAll(async () => {
  await system.stop();
  await database.drop();
});

test('the entries are written with their grants, a few hundred at a time', async () => {
  const { context } = system.bridge;
  await durable().updateTable('instance').set({ state: 'copy' }).execute();
  await context.instance.look();
  const told: number[] = [];
  expect(await takeOver(context, (done) => told.push(done))).toBe(FLEET + 1);
  expect(told).toEqual([500, 1000, 1500, FLEET + 1]);

  const sizes = await sql<{ entries: number }>`select entries from sizes_of_statements`.execute(durable());
  expect(sizes.rows.map(({ entries }) => entries)).toEqual([500, 500, 500, FLEET - 1499, 1]);
  const doubted = durable().selectFrom('events').where('action', '=', 'refresh_in_doubt');
  const { entries } = await doubted
    .select((eb) => eb.fn.countAll<number>().as('entries'))
    .executeTakeFirstOrThrow();
  expect(entries).toBe(FLEET + 1);
});
