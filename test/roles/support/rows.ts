import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { System } from '../../support/bridge/system.ts';

/** What each process writes of itself, whatever anybody does. */
const BY_ITSELF = [
  'key_holders',
  'instance',
  'last_use_reading',
  'webhook_reading',
  'progress',
  'progress_of_all',
  'progress_reading',
];

/** What may be lost, and stands in the one database of PostgreSQL too. */
const VOLATILE = [
  'answers',
  'post_answers',
  'leases',
  'counts',
  'budgets',
  'sessions',
  'watched_apps',
  'live_calls',
  'usage',
  'shadow_differences',
];

const LEFT_OUT: ReadonlySet<string> = new Set([...BY_ITSELF, ...VOLATILE]);

/** Of what jobs write too: the history's chain follows it, mails are planned every hour and go out within a minute. */
const BY_PEOPLE: Readonly<Record<string, string>> = {
  events: "select id, action, reason from events where actor like 'account:%' or actor like 'key:%'",
  mails:
    "select id, settled_at, settled_by from mails where replaces like 'again/%' or settled_at is not null",
  reminders: "select id from reminders where stage = 'again'",
  email_proofs: 'select * from email_proofs where account_id is not null',
};

const namesOf = new WeakMap<System, Promise<string[]>>();

async function readTables(system: System): Promise<string[]> {
  const { durable } = system.bridge.context.store;
  const tables = await durable.introspection.getTables();
  return tables
    .map(({ name }) => name)
    .filter((name) => !LEFT_OUT.has(name))
    .toSorted();
}

/** Asked once for each system: the question goes through every column of every table. */
function tablesOf(system: System): Promise<string[]> {
  const known = namesOf.get(system) ?? readTables(system);
  namesOf.set(system, known);
  return known;
}

/** Which sessions there are; they last longer with each use. */
async function sessionsOf(system: System): Promise<string> {
  const { volatile } = system.bridge.context.store;
  const rows = await volatile.selectFrom('sessions').select('id_digest').orderBy('id_digest').execute();
  return rows.map(({ id_digest }) => id_digest).join();
}

/** A digest of every row of each durable table, and who is signed in, to see whether an act changed any. */
export async function rowsOf(system: System): Promise<Record<string, string>> {
  const { durable } = system.bridge.context.store;
  const digests: Record<string, string> = {};
  for (const table of await tablesOf(system)) {
    const asked = BY_PEOPLE[table] ?? `select * from ${table}`;
    const { rows } = await sql<object>`${sql.raw(asked)}`.execute(durable);
    const lines = rows.map((row) => JSON.stringify(row));
    digests[table] = createHash('sha256').update(lines.toSorted().join('\n')).digest('base64');
  }
  digests['sessions'] = await sessionsOf(system);
  return digests;
}
