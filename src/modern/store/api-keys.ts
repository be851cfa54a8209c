import { newHexId } from '../../shared/ids.ts';
import { apiKeyHint, isWellFormedApiKey, newApiKey } from '../api-key.ts';
import type { Database } from './database.ts';
import type { SecretDigester } from './digests.ts';
import { minuteAgo } from './minutes.ts';
import type { UsedForms } from './used-forms.ts';

export interface ApiKeyRecord {
  id: string;
  name: string;
  hint: string;
  /** ISO 8601. */
  createdAt: string;
  /** To the minute; null before the first use. */
  lastUsedAt: string | null;
}

/** A new key. The key cannot be read again later. */
export interface CreatedApiKey {
  key: string;
  name: string;
}

export const MAX_API_KEYS = 20;

const COLUMNS = 'id, name, hint, created_at as createdAt, last_used_at as lastUsedAt';

// The row and its id stay: the addresses and the quotas of the key continue.
const REPLACE = `
  update api_keys set digest = ?, hint = ?, created_at = ?, last_used_at = null
  where account_id = ? and id = ? returning name`;

function prepareStatements(db: Database) {
  return {
    list: db.prepare<[string], ApiKeyRecord>(
      `select ${COLUMNS} from api_keys where account_id = ? order by created_at, id`,
    ),
    one: db.prepare<[string, string], ApiKeyRecord>(
      `select ${COLUMNS} from api_keys where account_id = ? and id = ?`,
    ),
    count: db.prepare<[string], number>('select count(*) from api_keys where account_id = ?').pluck(),
    byDigest: db.prepare<[string], { id: string; accountId: string }>(
      'select id, account_id as accountId from api_keys where digest = ?',
    ),
    insert: db.prepare(
      'insert into api_keys (id, account_id, name, digest, hint, created_at) values (?, ?, ?, ?, ?, ?)',
    ),
    replace: db.prepare<[string, string, string, string, string], string>(REPLACE).pluck(),
    remove: db.prepare('delete from api_keys where account_id = ? and id = ?'),
    touch: db.prepare(
      'update api_keys set last_used_at = ? where id = ? and (last_used_at is null or last_used_at < ?)',
    ),
  };
}

/** API keys. A key acts for the whole account of its owner. The store keeps only digests. */
export function createApiKeys(
  db: Database,
  { digest, usedForms }: { digest: SecretDigester; usedForms: UsedForms },
) {
  const run = prepareStatements(db);
  const newKey = () => {
    const key = newApiKey();
    return { key, row: [digest(key), apiKeyHint(key), new Date().toISOString()] as const };
  };
  const own = (accountId: string, id: string) => run.one.get(accountId, id);
  return {
    own,
    ofAccount: (accountId: string) => run.list.all(accountId),
    /** `used`: this form already made a key. `full`: the account has MAX_API_KEYS keys. */
    create: db.transaction((accountId: string, name: string, form: string): CreatedApiKey | 'used' | 'full' =>
      usedForms.once(form, () => {
        if ((run.count.get(accountId) ?? 0) >= MAX_API_KEYS) return 'full';
        const { key, row } = newKey();
        run.insert.run(newHexId(), accountId, name, ...row);
        return { key, name };
      }),
    ),
    /** Replaces the old key, which stops working at once. `missing`: the account has no key with this id. */
    replace: db.transaction(
      (accountId: string, id: string, form: string): CreatedApiKey | 'used' | 'missing' =>
        usedForms.once(form, () => {
          const { key, row } = newKey();
          const name = run.replace.get(...row, accountId, id);
          return name === undefined ? 'missing' : { key, name };
        }),
    ),
    remove: (accountId: string, id: string): boolean => run.remove.run(accountId, id).changes === 1,
    /** Finds the key of a bearer token and records the use. Undefined for any other token. */
    find(token: string): { id: string; accountId: string } | undefined {
      const found = isWellFormedApiKey(token) ? run.byDigest.get(digest(token)) : undefined;
      if (found) run.touch.run(new Date().toISOString(), found.id, minuteAgo());
      return found;
    },
  };
}
