// `node lookup-fill.mjs TOKENS` with the settings of an empty installation in the environment: raw inserts of connected
// tokens, each with a grant and a text of `profiles.json`. Indexes that no look-up by token reads are left away.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Sqlite } from '../../../dist/shared/sqlite.js';
import { openContext } from '../../../dist/app/open-context.js';
import { readConfig } from '../../../dist/config/config.js';
import { newHexId, newOrderedId } from '../../../dist/shared/ids.js';
import { clientIdOf } from './people.mjs';

const TOKENS = Number(process.argv[2]);
const AT_ONCE = 50_000;
const APPS = 2000;
const CACHE_KB = 4_000_000;
const config = readConfig();
const { context, close } = await openContext(config, config.upstream);
const { vault } = context;
const file = join(config.varDir, 'bridge.db');
const db = new Sqlite(file);
const volatile = new Sqlite(file.replace('.db', '-volatile.db'));
for (const one of [db, volatile]) {
  one.pragma('synchronous = OFF');
  one.pragma('foreign_keys = OFF');
  one.pragma(`cache_size = ${-CACHE_KB}`);
}
const unread = db
  .prepare(
    "select name from sqlite_schema where type = 'index' and sql is not null and tbl_name in ('mappings', 'grants')",
  )
  .pluck()
  .all();
for (const name of unread) db.exec(`drop index ${String(name)}`);

const now = Date.now();
const app = db.prepare('insert into apps (client_id, name, source, created_at) values (?, ?, ?, ?)');
const grant =
  db.prepare(`insert into grants (id, client_id, account_id, modern_client_id, state, version, scope,
  access_expires_at, refresh_at, created_at, updated_at, rotated_at)
  values (?, ?, ?, 'bridge', 'ready', 1, 'account:read', $now, $now, $now, $now, $now)`);
const mapping =
  db.prepare(`insert into mappings (id, token_digest, hint_first, hint_last, client_id, account_id, grant_id,
  state, source, created_at, updated_at, last_used_at)
  values (?, ?, ?, ?, ?, ?, ?, 'active', 'imported', $now, $now, $now)`);
const told = volatile.prepare(
  "insert into told_profiles (grant_id, modern_client_id, fetched_at, key, text) values (?, 'bridge', ?, 'key', '[]')",
);

for (let one = 0; one < APPS; one += 1) app.run(clientIdOf(one), `App ${one}`, 'imported', now);

function addTokens(from) {
  for (let token = from; token < Math.min(from + AT_ONCE, TOKENS); token += 1) {
    const text = `1/${token.toString(16).padStart(32, '0')}`;
    const [grantId, accountId, clientId] = [
      newHexId(),
      randomBytes(12).toString('hex'),
      clientIdOf(token % APPS),
    ];
    grant.run(grantId, clientId, accountId, { now });
    const hints = [text.slice(2, 6), text.slice(-4)];
    mapping.run(newOrderedId(now), vault.digest(text), ...hints, clientId, accountId, grantId, { now });
    told.run(grantId, now);
  }
}

for (let from = 0; from < TOKENS; from += AT_ONCE)
  volatile.transaction(() => db.transaction(() => addTokens(from))())();
for (const one of [db, volatile]) {
  one.pragma('wal_checkpoint(TRUNCATE)');
  one.close();
}
await close();
