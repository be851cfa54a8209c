// `node fill.mjs TOKENS` with the settings of an empty installation in the environment: writes what an import of the people
// of `people.mjs` writes, with a history that is chained already. An import would take some minutes longer. The rows are
// made with the bridge's own keys and rules, and go in without the indexes, which are made afterwards.
import { join } from 'node:path';
import { Sqlite } from '../../../dist/shared/sqlite.js';
import { openContext } from '../../../dist/app/open-context.js';
import { readConfig } from '../../../dist/config/config.js';
import { textOfLink } from '../../../dist/domain/history/chain.js';
import { textOfEvent } from '../../../dist/domain/history/record-event.js';
import { sealHistory } from '../../../dist/domain/history/seal-history.js';
import { newOrderedId } from '../../../dist/shared/ids.js';
import { readHead } from '../../../dist/store/history/events.js';
import { peopleRows, sizeOf } from './people.mjs';

const SIZE = sizeOf(Number(process.argv[2]));
const TABLES = ['accounts', 'app_callbacks', 'app_contacts', 'app_secrets', 'apps', 'events', 'mappings'];
const CACHE_KB = 1_000_000;
const config = readConfig();
const { context, close } = await openContext(config, config.upstream);
const { vault, clock } = context;
const now = clock.now();
// The first entries are those of the keys.
await sealHistory(context);
let head = await readHead(context.store.durable);
const db = new Sqlite(join(config.varDir, 'bridge.db'));
db.pragma('synchronous = OFF');
db.pragma('foreign_keys = OFF');
db.pragma(`cache_size = ${-CACHE_KB}`);

/** Inserts rows of a table, each given as an object with the same columns. */
function insertInto(table, columns) {
  const places = columns.map((column) => `$${column}`);
  return db.prepare(`insert or ignore into ${table} (${columns.join(', ')}) values (${places.join(', ')})`);
}

const EVENT = ['uid', 'at', 'actor', 'action', 'client_id', 'account_id', 'grant_id', 'mapping_id', 'reason'];
const MAPPING = [
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
];
const insert = {
  apps: insertInto('apps', ['client_id', 'name', 'owner_email', 'source', 'created_at']),
  secrets: insertInto('app_secrets', ['id', 'client_id', 'secret_digest', 'created_at']),
  callbacks: insertInto('app_callbacks', ['client_id', 'uri']),
  contacts: insertInto('app_contacts', ['client_id', 'address']),
  accounts: insertInto('accounts', ['account_id', 'updated_at']),
  mappings: insertInto('mappings', MAPPING),
  events: insertInto('events', ['id', ...EVENT, 'request_id', 'witness', 'position', 'chain']),
};

let id = db.prepare('select max(id) from events').pluck().get();

/** Writes an entry of the history and its link. */
function addEvent(action, { clientId = null, accountId = null, mappingId = null }) {
  id += 1;
  const entry = {
    id,
    uid: newOrderedId(now),
    at: now,
    actor: 'command',
    action,
    client_id: clientId,
    account_id: accountId,
    grant_id: null,
    mapping_id: mappingId,
    reason: 'import',
    request_id: null,
  };
  const event = { ...entry, witness: vault.witness(textOfEvent(entry)) };
  head = { position: head.position + 1, chain: vault.witness(textOfLink(head, event)) };
  insert.events.run({ ...event, ...head });
}

function addApp(row) {
  const { client_id, name, owner_email } = row;
  insert.apps.run({ client_id, name, owner_email, source: 'imported', created_at: row.created_at * 1000 });
  const secret_digest = vault.digest(row.client_secret);
  insert.secrets.run({ id: newOrderedId(now), client_id, secret_digest, created_at: now });
  for (const uri of row.callback_urls) insert.callbacks.run({ client_id, uri });
  for (const address of row.contacts) insert.contacts.run({ client_id, address });
  addEvent('app_imported', { clientId: client_id });
}

function digestOf({ access_token: token, access_token_sha256: sha256 }) {
  return token === undefined ? vault.digestOf(Buffer.from(sha256, 'hex')) : vault.digest(token);
}

function addToken(row) {
  const { client_id: clientId, account_id: accountId = null, access_token: token } = row;
  const isNew =
    accountId !== null && insert.accounts.run({ account_id: accountId, updated_at: now }).changes === 1;
  if (isNew) addEvent('account_named', { accountId });
  const mappingId = newOrderedId(now);
  insert.mappings.run({
    id: mappingId,
    token_digest: digestOf(row),
    hint_first: token?.slice(2, 6) ?? null,
    hint_last: token?.slice(-4) ?? null,
    client_id: clientId,
    account_id: accountId,
    account_email: row.account_email ?? null,
    state: 'unmapped',
    source: 'imported',
    created_at: row.created_at * 1000,
    updated_at: now,
    last_used_at: row.last_used_at === undefined ? null : row.last_used_at * 1000,
  });
  addEvent('token_imported', { clientId, accountId, mappingId });
}

const names = TABLES.map((table) => `'${table}'`).join(', ');
const indexes = db
  .prepare(
    `select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name in (${names})`,
  )
  .all();
db.transaction(() => {
  for (const { name } of indexes) db.exec(`drop index ${name}`);
  for (const row of peopleRows(SIZE, Math.floor(now / 1000) - 600))
    if (row.type === 'app') addApp(row);
    else addToken(row);
  for (const { sql } of indexes) db.exec(sql);
})();
db.pragma('wal_checkpoint(TRUNCATE)');
db.close();
await close();
