// `node fill.mjs WANTED` with the settings of a bridge in the environment: fills its database with connected tokens whose
// answers are fresh, and writes the tokens, one a line, to `tokens.txt` in VAR_DIR. The rows are written through the
// bridge's own store and keys, without asking the bridge. WANTED is JSON: the number of `tokens`, and where they are wanted
// `lists` of posts, `codes` (with their apps and secrets in `codes.txt`) and `pairs`, of which the first `live` have not
// ended.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../dist/config/config.js';
import { openContext } from '../../dist/app/open-context.js';
import { codeRow, rowsOf } from './fill-rows.mjs';
import { APPS, CALLBACK, clientIdOf, codeOf, idOf, ROWS_AT_ONCE, secretOf, tokenOf } from './rows.mjs';

const wanted = { tokens: 1000, lists: false, codes: 0, pairs: undefined, ...JSON.parse(process.argv[2]) };
const config = readConfig();
const opened = await openContext(config, config.upstream);
const { store, vault, clock } = opened.context;
const filling = { ...wanted, vault, now: clock.now() };

const indexes = (count) => Array.from({ length: count }, (_, index) => index);

/** Calls `work` with so many indexes at once as one statement takes. */
async function inBatches(count, work) {
  for (let from = 0; from < count; from += ROWS_AT_ONCE)
    await work(indexes(Math.min(ROWS_AT_ONCE, count - from)).map((offset) => from + offset));
}

async function insertAll(db, rowsByTable) {
  for (const [table, rows] of Object.entries(rowsByTable))
    if (rows.length > 0) await db.insertInto(table).values(rows).execute();
}

/** The rows of many tokens, table by table. */
function joined(each) {
  const [first] = each;
  return Object.fromEntries(Object.keys(first).map((table) => [table, each.flatMap((one) => one[table])]));
}

async function addApps() {
  const apps = indexes(APPS).map((app) => ({
    client_id: clientIdOf(app),
    name: `App ${app}`,
    source: 'imported',
    created_at: filling.now,
  }));
  const ids = apps.map(({ client_id: id }) => id);
  const secrets = ids.map((id) => ({
    id: idOf(`secret ${id}`),
    client_id: id,
    secret_digest: vault.digest(secretOf(id)),
    created_at: filling.now,
  }));
  const callbacks = ids.map((id) => ({ client_id: id, uri: CALLBACK }));
  await insertAll(store.durable, { apps, app_secrets: secrets, app_callbacks: callbacks });
}

await addApps();
await inBatches(wanted.tokens, async (some) => {
  const rows = some.map((index) => rowsOf(index, filling));
  await store.transaction((tx) => insertAll(tx, joined(rows.map(({ durable }) => durable))));
  await store.volatile
    .transaction()
    .execute((tx) => insertAll(tx, joined(rows.map(({ volatile }) => volatile))));
});
await inBatches(wanted.codes, (some) =>
  insertAll(store.durable, { legacy_codes: some.map((index) => codeRow(index, filling)) }),
);
const write = (name, lines) => writeFileSync(join(process.env.VAR_DIR, name), lines.join('\n'));
write('tokens.txt', indexes(wanted.tokens).map(tokenOf));
const codeLine = (index) => {
  const clientId = clientIdOf(index % wanted.tokens);
  return [clientId, secretOf(clientId), codeOf(index)].join(' ');
};
if (wanted.codes > 0) write('codes.txt', indexes(wanted.codes).map(codeLine));
await opened.close();
