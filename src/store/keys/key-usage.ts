import { type Expression, sql, type SqlBool } from 'kysely';
import { SECOND } from '../../shared/lifetimes.ts';
import type { KeyName } from './keys.ts';
import { countSealed, SEALED_COLUMNS } from './sealed-columns.ts';
import type { Database, Store } from '../driver/store.ts';

/** The values that depend on a key: a description for a person, and the number of each kind. */
export type KeyUsage = Array<{ what: string; count: number }>;

interface KeyUsageQuery extends KeyName {
  now: number;
  /** The volatile database, which knows which browser opened which approval page. */
  store: Pick<Store, 'volatile'>;
}

async function count(
  db: Database,
  table:
    | 'mappings'
    | 'api_keys'
    | 'app_secrets'
    | 'legacy_codes'
    | 'email_proofs'
    | 'authorization_requests'
    | 'events'
    | 'post_writes'
    | 'learned_updates',
  condition: Expression<SqlBool>,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ${sql.table(table)} where ${condition}`.execute(db);
  return rows[0]?.n ?? 0;
}

const madeWith = (column: string, id: string) => sql<SqlBool>`${sql.ref(column)} like ${`${id}.%`}`;

async function countOpenPages({ store }: KeyUsageQuery, condition: Expression<SqlBool>): Promise<number> {
  const row = await store.volatile
    .selectFrom('claimed_requests')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('browser_digest', 'is not', null)
    .where(condition)
    .executeTakeFirstOrThrow();
  return row.n;
}

async function digestUsage(db: Database, question: KeyUsageQuery): Promise<KeyUsage> {
  const { id, now } = question;
  const lives = sql<SqlBool>`expires_at > ${now}`;
  const apiKeys = sql<SqlBool>`${madeWith('key_digest', id)} and ended_at is null and ${lives}`;
  const codes = sql<SqlBool>`${madeWith('code_digest', id)} and ${lives} and used_at is null`;
  const links = sql<SqlBool>`${madeWith('token_digest', id)} and ${lives} and used_at is null`;
  const requests = sql<SqlBool>`(${madeWith('browser_digest', id)} or ${madeWith('upstream_state_digest', id)})
    and phase in ('new', 'consenting') and ${lives}`;
  const pages = sql<SqlBool>`${madeWith('browser_digest', id)} and ${lives}`;
  const writes = sql<SqlBool>`${madeWith('content_digest', id)} and state in ('sending', 'in_doubt')`;
  const updates = sql<SqlBool>`${madeWith('text_digest', id)} and post_id is null`;
  return [
    { what: 'tokens', count: await count(db, 'mappings', madeWith('token_digest', id)) },
    { what: 'app secrets', count: await count(db, 'app_secrets', madeWith('secret_digest', id)) },
    { what: 'keys of programs', count: await count(db, 'api_keys', apiKeys) },
    { what: 'codes', count: await count(db, 'legacy_codes', codes) },
    { what: 'mailed links', count: await count(db, 'email_proofs', links) },
    { what: 'running authorizations', count: await count(db, 'authorization_requests', requests) },
    { what: 'open approval pages', count: await countOpenPages(question, pages) },
    { what: 'writes in doubt', count: await count(db, 'post_writes', writes) },
    { what: 'ids of updates', count: await count(db, 'learned_updates', updates) },
  ];
}

const IN_WORDS = {
  access_token_sealed: 'access tokens',
  refresh_token_sealed: 'refresh tokens',
  state_sealed: "apps' states",
  verifier_sealed: 'PKCE verifiers',
  token_sealed: 'owed revocations',
  secret_sealed: "secrets of apps' own clients",
  signing_sealed: 'secrets of webhooks',
};

async function sealingUsage(db: Database, { id }: KeyUsageQuery): Promise<KeyUsage> {
  const usage: KeyUsage = [];
  for (const column of SEALED_COLUMNS) {
    const what = IN_WORDS[column.column];
    usage.push({ what, count: await countSealed(db, column, { keyId: id }) });
  }
  return usage;
}

/** For a moment after a change, processes still write with the key before. */
const LAST_FORMS = 10 * SECOND;

/**
 * The hidden field of a form is not stored. So all forms that were shown while the key was active count, until they
 * have expired.
 */
async function sessionUsage(db: Database, question: KeyUsageQuery): Promise<KeyUsage> {
  const { id, now } = question;
  const key = await db
    .selectFrom('keys')
    .select(['state', 'changed_at'])
    .where('purpose', '=', 'session')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!key || key.state === 'standby' || key.state === 'dropped') return [];
  const since = key.state === 'active' ? now : key.changed_at;
  const shown = sql<SqlBool>`expires_at > ${now} and claimed_at <= ${since + LAST_FORMS}`;
  return [{ what: 'open approval pages', count: await countOpenPages(question, shown) }];
}

async function historyUsage(db: Database, { id }: KeyUsageQuery): Promise<KeyUsage> {
  const entries = sql<SqlBool>`${madeWith('witness', id)} or ${madeWith('chain', id)}`;
  return [{ what: 'entries of the history', count: await count(db, 'events', entries) }];
}

const USAGES = {
  digest: digestUsage,
  sealing: sealingUsage,
  session: sessionUsage,
  history: historyUsage,
};

/** The values that depend on a key, without the kinds that have none. */
export async function findKeyUsage(db: Database, question: KeyUsageQuery): Promise<KeyUsage> {
  const usage = await USAGES[question.purpose](db, question);
  return usage.filter((one) => one.count > 0);
}
