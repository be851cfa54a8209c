// `node fill.mjs TOKENS` with the settings of an empty installation in the environment, on either database: writes the rows of
// `rows.mjs` straight into the tables, and prints the cookies of the people whose pages are measured.
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { openContext } from '../../../dist/app/open-context.js';
import { readConfig } from '../../../dist/config/config.js';
import { saveSession } from '../../../dist/domain/accounts/sessions.js';
import { newOpaqueValue } from '../../../dist/shared/ids.js';
import { insertionOf } from '../../../dist/store/driver/many-rows.js';
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

const pairs = new Set();

/** One grant for each app and account, as the index wants it. */
function* grantsOf(token) {
  const pair = `${token.clientId} ${token.person}`;
  const has = token.state === 'active' || token.state === 'reauthorization_required';
  if (!has || pairs.has(pair)) return;
  pairs.add(pair);
  yield rows.grantRow(token, now);
}

/** SQLite makes an index of all rows at once much faster than row by row. */
async function withoutIndexes(work) {
  if (process.env.DATABASE_URL) return work();
  await sql`pragma cache_size = -800000`.execute(durable);
  await sql`pragma synchronous = off`.execute(durable);
  const { rows: indexes } = await sql`select name, sql from sqlite_schema
    where type = 'index' and sql is not null and tbl_name in ('mappings', 'grants')`.execute(durable);
  for (const { name } of indexes) await sql.raw(`drop index ${name}`).execute(durable);
  await work();
  for (const one of indexes) await sql.raw(one.sql).execute(durable);
}

await insert(durable, 'accounts', rows.accountRows(size, now));
await insert(durable, 'apps', rows.appRows(size, now));
await insert(durable, 'app_callbacks', rows.callbackRows(size));
await withoutIndexes(async () => {
  await insert(
    durable,
    'mappings',
    ofTokens((token) => [rows.mappingRow(token, now)]),
  );
  await insert(durable, 'grants', ofTokens(grantsOf));
});
await sql`update mappings set grant_id = (select g.id from grants g where g.client_id = mappings.client_id
  and g.account_id = mappings.account_id) where account_id is not null and state in ('active', 'reauthorization_required')`.execute(
  durable,
);
await insert(durable, 'mails', rows.mailRows(2000, now));
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
if (process.env.DATABASE_URL) await sql`analyze`.execute(durable);

/** The cookie of a person who is signed in, as the library signs it. */
async function cookieOf(person) {
  const id = newOpaqueValue();
  const accountId = rows.accountIdOf(person);
  const signedIn = { accountId, email: rows.addressOf(person), name: rows.nameOf(person) };
  const content = JSON.stringify({
    cookie: { originalMaxAge: 43_200_000, path: '/' },
    person: signedIn,
    signedInAt: now,
  });
  await saveSession(context, id, { content, accountId, signedInAt: now });
  const secret = context.vault.session().active.secret.toString('base64url');
  const mark = createHmac('sha256', secret).update(id).digest('base64').replace(/=+$/, '');
  return `__Host-gb_session=${encodeURIComponent(`s:${id}.${mark}`)}`;
}

const cookies = {};
const { OWNER, HOLDER, STAFF } = rows;
for (const [name, person] of Object.entries({ OWNER, HOLDER, STAFF })) cookies[name] = await cookieOf(person);
process.stdout.write(JSON.stringify(cookies));
await close();
