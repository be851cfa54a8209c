// `node fill.mjs TOKENS` with the settings of an empty installation in the environment, on either database: writes the rows of
// `rows.mjs`, `more-rows.mjs` and `history.mjs` straight into the tables.
import { sql } from 'kysely';
import pg from 'pg';
import { openContext } from '../../../dist/app/open-context.js';
import { readConfig } from '../../../dist/config/config.js';
import { sealHistory } from '../../../dist/domain/history/seal-history.js';
import { insertionOf } from '../../../dist/store/driver/many-rows.js';
import { readHead } from '../../../dist/store/history/events.js';
import { historyAfter } from './history.mjs';
import * as more from './more-rows.mjs';
import * as rows from './rows.mjs';

const size = rows.sizeOf(Number(process.argv[2]));
const AT_ONCE = 5000;
const config = readConfig();
const { context, close } = await openContext(config, config.upstream);
const { durable, volatile } = context.store;
const now = context.clock.now();

async function insert(db, table, all) {
  let held = [];
  const write = async () => {
    if (held.length > 0) await insertionOf(db, table, held).execute(db);
    held = [];
  };
  for (const row of all) {
    held.push(row);
    if (held.length === AT_ONCE) await write();
  }
  await write();
}

/** The rows of one table that tokens have; every other token has none. */
function* ofTokens(rowsOf) {
  for (const token of rows.heldTokens(size, now)) yield* rowsOf(token);
}

const grantIds = new Map();
const pairOf = ({ clientId, person }) => `${clientId} ${person}`;
const ofOwnGrant = (token) => grantIds.get(pairOf(token)) === rows.grantIdOf(token.token);

/** One grant for each app and account, as the index wants it. */
function* grantsOf(token) {
  const has = token.state === 'active' || token.state === 'reauthorization_required' || token.isHandedOver;
  if (!has || grantIds.has(pairOf(token))) return;
  grantIds.set(pairOf(token), rows.grantIdOf(token.token));
  yield rows.grantRow(token, now);
}

function* handoversOf(token) {
  if (token.isHandedOver && ofOwnGrant(token)) yield rows.handoverRow(token, now);
}

const LARGE = ['mappings', 'grants', 'events'];

/** The indexes of the large tables, each with the statement that makes it. */
async function indexesOf() {
  const names = sql.join(LARGE);
  const found = process.env.DATABASE_URL
    ? sql`select indexname as name, indexdef as sql from pg_indexes where tablename in (${names})
        and indexname not in (select conname from pg_constraint)`
    : sql`select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name in (${names})`;
  return (await found.execute(durable)).rows;
}

/** An index of all rows is made much faster at once than row by row. */
async function withoutIndexes(work) {
  if (!process.env.DATABASE_URL) {
    await sql`pragma cache_size = -800000`.execute(durable);
    await sql`pragma synchronous = off`.execute(durable);
  }
  const indexes = await indexesOf();
  for (const { name } of indexes) await sql.raw(`drop index ${name}`).execute(durable);
  await work();
  for (const one of indexes) await patiently(one.sql);
}

/** Runs a statement without the limits of time that the bridge sets. */
async function patiently(statement) {
  if (!process.env.DATABASE_URL) {
    await sql.raw(statement).execute(durable);
    return;
  }
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** PostgreSQL gives entries their ids itself, unless it is told otherwise for a while. */
async function withOwnIds(meanwhile, afterwards, work) {
  const generated = (how) =>
    sql`alter table events alter column id set generated ${sql.raw(how)}`.execute(durable);
  if (process.env.DATABASE_URL) await generated(meanwhile);
  await work();
  if (!process.env.DATABASE_URL) return;
  await generated(afterwards);
  await sql`select setval(pg_get_serial_sequence('events', 'id'), (select max(id) from events))`.execute(
    durable,
  );
}

await insert(durable, 'accounts', rows.accountRows(size, now));
await insert(durable, 'apps', rows.appRows(size, now));
await insert(durable, 'app_callbacks', rows.callbackRows(size));
await sealHistory(context);
const history = historyAfter(context, await readHead(durable), now);
await withoutIndexes(async () => {
  await insert(durable, 'grants', ofTokens(grantsOf));
  await insert(
    durable,
    'mappings',
    ofTokens((token) => [
      rows.mappingRow(
        { ...token, grantId: token.state === 'unmapped' ? null : grantIds.get(pairOf(token)) },
        now,
      ),
    ]),
  );
  // The chain is over the ids of its entries.
  await withOwnIds('by default', 'always', () =>
    insert(
      durable,
      'events',
      ofTokens((token) => history.entriesOf(token)),
    ),
  );
});
await insert(durable, 'handovers', ofTokens(handoversOf));
for (const [table, all] of Object.entries(more.rowsOf(size, now, context.vault)))
  await insert(durable, table, all);
await insert(durable, 'webhook_reading', [{ singleton: 1, ...history.head() }]);
await sql`update apps set modern_client_id = ${more.MODERN_CLIENT} where client_id = ${rows.clientIdOf(0)}`.execute(
  durable,
);
await insert(durable, 'progress', rows.progressRows(size, now));
await insert(durable, 'progress_of_all', rows.progressOfAll(size, now));
await insert(durable, 'progress_reading', [{ singleton: 1, counted_at: now }]);
await insert(volatile, 'app_calls', rows.callRows(size, now));
await insert(
  volatile,
  'usage',
  ofTokens(({ token }) => rows.usageRows(token, now)),
);
await sql`delete from app_calls_begin`.execute(volatile);
await sql`insert into app_calls_begin (singleton, whole_after, lost_before) values (1, 0, ${now - 365 * rows.DAY})`.execute(
  volatile,
);
await insert(durable, 'lifecycle_dates', [
  { name: 'retirement', at: now + 30 * rows.DAY, changed_at: now, changed_by: 'benchmark' },
]);
await insert(durable, 'staff', [
  { account_id: rows.accountIdOf(rows.STAFF), role: 'lead', added_by: 'benchmark', added_at: now },
]);
if (process.env.DATABASE_URL) await patiently('vacuum analyze');

await close();
