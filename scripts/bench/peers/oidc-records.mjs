// The records of an oidc-provider in SQLite, as its documents ask for: every change is a commit of its own, as durable as a
// commit of the bridge.
import { Sqlite } from '../../../dist/shared/sqlite.js';

const SCHEMA = `create table records (
  id text not null, kind text not null, payload text not null, grant_id text, consumed_at integer, expires_at integer,
  primary key (kind, id)) without rowid;
  create index records_by_grant on records (grant_id)`;

const now = () => Math.floor(Date.now() / 1000);

/** Opens an empty database. The adapter of each kind of record shares it. */
export function openRecords(file) {
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(SCHEMA);
  const run = {
    upsert: database.prepare(
      `insert into records values (?, ?, ?, ?, null, ?) on conflict (kind, id) do update set payload = excluded.payload,
       grant_id = excluded.grant_id, expires_at = excluded.expires_at`,
    ),
    find: database.prepare('select payload, consumed_at from records where kind = ? and id = ?'),
    consume: database.prepare('update records set consumed_at = ? where kind = ? and id = ?'),
    destroy: database.prepare('delete from records where kind = ? and id = ?'),
    revoke: database.prepare('delete from records where kind = ? and grant_id = ?'),
  };
  const adapter = (kind) => ({
    async upsert(id, payload, expiresIn) {
      run.upsert.run(id, kind, JSON.stringify(payload), payload.grantId ?? null, now() + expiresIn);
    },
    async find(id) {
      const row = run.find.get(kind, id);
      if (!row) return undefined;
      const payload = JSON.parse(row.payload);
      return row.consumed_at === null ? payload : { ...payload, consumed: row.consumed_at };
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async (id) => void run.consume.run(now(), kind, id),
    destroy: async (id) => void run.destroy.run(kind, id),
    revokeByGrantId: async (grantId) => void run.revoke.run(kind, grantId),
  });
  return { database, adapter };
}
