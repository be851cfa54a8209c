// `node enrich.mjs TOKENS` with the settings of a bridge in the environment: makes an imported installation one that has
// served for a while. Accounts have addresses and zones all around the world, most tokens of known accounts are connected,
// some grants have died, tokens were used, the retirement is a month away. Some connected tokens have a fresh answer; they
// are written to `tokens.txt` in VAR_DIR.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Sqlite } from '../../../dist/shared/sqlite.js';
import { openContext } from '../../../dist/app/open-context.js';
import { readConfig } from '../../../dist/config/config.js';
import { channelsOf } from '../rows.mjs';
import { accountIdOf, addressOf, hasAccount, sizeOf, tokenOf } from './people.mjs';

const SIZE = sizeOf(Number(process.argv[2]));
const DAY = 86_400_000;
const READ_TOKENS = 2000;
const config = readConfig();
const file = join(config.varDir, 'bridge.db');

const day = (at) => new Date(at).toISOString().slice(0, 10);

function nameAccounts(db) {
  const name = db.prepare('update accounts set email = ?, name = ?, timezone = ? where account_id = ?');
  for (let person = 0; person < SIZE.people; person += 1)
    if (hasAccount(person)) {
      const zone = person % 24;
      const place = zone < 12 ? `Etc/GMT-${zone}` : `Etc/GMT+${24 - zone}`;
      name.run(addressOf(person), `Person ${person}`, place, accountIdOf(person));
    }
}

function connectTokens(db, now) {
  db.prepare(
    `insert into grants (id, client_id, account_id, modern_client_id, state, version, scope, access_expires_at, refresh_at,
       created_at, updated_at, rotated_at)
     select lower(hex(randomblob(12))), client_id, account_id, 'bridge', 'ready', 1, 'account:read', $later, $later,
       $now, $now, $now
     from mappings where account_id is not null group by client_id, account_id having min(rowid) % 5 < 2`,
  ).run({ now, later: now + 20 * DAY });
  db.exec(`update grants set state = 'dead', dead_cause = 'refused', dead_at = created_at - 86400000 * (rowid % 20)
    where rowid % 50 = 0`);
  db.exec(`update mappings set grant_id = g.id,
      state = case g.state when 'dead' then 'reauthorization_required' else 'active' end
    from grants g where g.client_id = mappings.client_id and g.account_id = mappings.account_id`);
}

/** The retirement is a month away, and all calls were counted for a year. */
function setDates(db, volatile, now) {
  const set = db.prepare(
    'insert or replace into lifecycle_dates (name, at, changed_at, changed_by) values (?, ?, ?, ?)',
  );
  set.run('retirement', now + 30 * DAY, now, 'benchmark');
  set.run('sunset', now + 300 * DAY, now, 'benchmark');
  volatile
    .prepare('insert or replace into app_calls_begin (singleton, whole_after, lost_before) values (1, 0, ?)')
    .run(now - 365 * DAY);
}

/** A fifth of all tokens was used today and yesterday. */
function addUsage(db, volatile, now) {
  const add =
    volatile.prepare(`insert into usage (mapping_id, day, endpoint, carrier, user_agent, outcome, calls, last_at)
    values (?, ?, '/1/profiles.json', 'header', 'benchmark', 'ok', 10, ?)`);
  const ids = db.prepare('select id from mappings where rowid % 5 = 0').pluck().all();
  for (const id of ids) for (const at of [now, now - DAY]) add.run(id, day(at), at);
}

/** What the new API answered for the account of a token. */
function answerOf(person, { grantId, now }) {
  const organization = accountIdOf(person);
  const account = {
    id: organization,
    email: addressOf(person),
    name: `Person ${person}`,
    timezone: 'UTC',
    createdAt: '2020-01-01T00:00:00.000Z',
    organizations: [{ id: organization }],
  };
  const body = JSON.stringify({ account, channels: channelsOf(person) });
  return [grantId, body, JSON.stringify([organization]), now];
}

/** Everybody's first token has the number of its person. */
function addAnswers(db, volatile, { vault, now }) {
  const add = volatile.prepare(
    'insert into answers (grant_id, body, organization_ids, fetched_at) values (?, ?, ?, ?)',
  );
  const find = db
    .prepare("select grant_id from mappings where token_digest = ? and state = 'active'")
    .pluck();
  const tokens = [];
  for (let person = 0; tokens.length < READ_TOKENS && person < SIZE.people; person += 1) {
    const grantId = find.get(vault.digest(tokenOf(person)));
    if (grantId === undefined || !hasAccount(person)) continue;
    if (db.prepare('select 1 from mappings where grant_id = ? limit 2').all(grantId).length > 1) continue;
    add.run(...answerOf(person, { grantId, now }));
    tokens.push(tokenOf(person));
  }
  writeFileSync(join(config.varDir, 'tokens.txt'), tokens.join('\n'));
}

const { context, close } = await openContext(config, config.upstream);
const now = context.clock.now();
const [db, volatile] = [new Sqlite(file), new Sqlite(file.replace('.db', '-volatile.db'))];
for (const one of [db, volatile]) one.pragma('synchronous = OFF');
db.transaction(() => {
  nameAccounts(db);
  connectTokens(db, now);
})();
volatile.transaction(() => {
  setDates(db, volatile, now);
  addUsage(db, volatile, now);
  addAnswers(db, volatile, { vault: context.vault, now });
})();
for (const one of [db, volatile]) {
  one.pragma('wal_checkpoint(TRUNCATE)');
  one.close();
}
await close();
