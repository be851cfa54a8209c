// `node import-raw.mjs FILE` with the settings of an empty installation in the environment: inserts what an import of this
// file would insert, as plainly as it can be done. Every line is parsed and every token digested, rows go in by prepared
// statements, 5,000 of a transaction, each as safe from a power cut as those of the bridge.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Sqlite } from '../../../dist/shared/sqlite.js';
import { openContext } from '../../../dist/app/open-context.js';
import { readConfig } from '../../../dist/config/config.js';
import { newOrderedId } from '../../../dist/shared/ids.js';

const AT_ONCE = 5000;
const config = readConfig();
const { context, close } = await openContext(config, config.upstream);
const { vault } = context;
const db = new Sqlite(join(config.varDir, 'bridge.db'));
db.pragma('synchronous = FULL');
db.pragma('foreign_keys = ON');
const now = Date.now();
const sha256 = (text) => createHash('sha256').update(text).digest();

const insert = (table, columns) =>
  db.prepare(
    `insert or ignore into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  );
const apps = insert('apps', ['client_id', 'name', 'owner_email', 'source', 'created_at']);
const secrets = insert('app_secrets', ['id', 'client_id', 'secret_digest', 'created_at']);
const callbacks = insert('app_callbacks', ['client_id', 'uri']);
const contacts = insert('app_contacts', ['client_id', 'address']);
const accounts = insert('accounts', ['account_id', 'updated_at']);
const tokens = insert('mappings', [
  'id',
  'token_digest',
  'hint_first',
  'hint_last',
  'client_id',
  'account_id',
  'account_email',
  'state',
  'source',
  'created_at',
  'updated_at',
  'last_used_at',
]);
const events = insert('events', [
  'uid',
  'at',
  'actor',
  'action',
  'client_id',
  'account_id',
  'mapping_id',
  'reason',
  'witness',
]);

/** A text as long as the witness of an entry. */
const filler = `aaaaaaaa.${randomBytes(32).toString('base64url')}`;

function addEvent(action, { clientId = null, accountId = null, mappingId = null }) {
  events.run(newOrderedId(now), now, 'command', action, clientId, accountId, mappingId, 'import', filler);
}

function addApp(row) {
  const clientId = row.client_id;
  apps.run(clientId, row.name, row.owner_email, 'imported', row.created_at * 1000);
  secrets.run(newOrderedId(now), clientId, vault.digest(row.client_secret), now);
  for (const uri of row.callback_urls) callbacks.run(clientId, uri);
  for (const address of row.contacts) contacts.run(clientId, address);
  addEvent('app_imported', { clientId });
}

function digestOf({ access_token: token, access_token_sha256: digest }) {
  return vault.digestOf(token === undefined ? Buffer.from(digest, 'hex') : sha256(token));
}

function addToken(row) {
  const { client_id: clientId, account_id: accountId = null, access_token: token } = row;
  if (accountId !== null && accounts.run(accountId, now).changes === 1)
    addEvent('account_named', { accountId });
  const mappingId = newOrderedId(now);
  const lastUse = row.last_used_at === undefined ? null : row.last_used_at * 1000;
  tokens.run(
    mappingId,
    digestOf(row),
    token?.slice(2, 6) ?? null,
    token?.slice(-4) ?? null,
    clientId,
    accountId,
    row.account_email ?? null,
    'unmapped',
    'imported',
    row.created_at * 1000,
    now,
    lastUse,
  );
  addEvent('token_imported', { clientId, accountId, mappingId });
}

/** Reads the file, and adds the rows of a type in transactions. */
async function readAll(type, add) {
  let held = [];
  const write = db.transaction((rows) => {
    for (const row of rows) add(row);
  });
  for await (const line of createInterface({
    input: createReadStream(process.argv[2]),
    crlfDelay: Infinity,
  })) {
    const row = JSON.parse(line);
    if (row.type !== type) continue;
    held.push(row);
    if (held.length < AT_ONCE) continue;
    write(held);
    held = [];
  }
  write(held);
}

await readAll('app', addApp);
await readAll('token', addToken);
db.close();
await close();
