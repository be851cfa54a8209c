import { newHexId } from '../../shared/ids.ts';
import { apiKeyHint, isWellFormedApiKey, newApiKey } from '../api-key.ts';
import type { Database } from './database.ts';
import type { Digest } from './digests.ts';
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

/** `used`: this form made a key already. `full`: there are as many keys as there may be. `missing`: nothing to replace. */
export type NewKey = { key: string; name: string } | 'used' | 'full' | 'missing';

export const MAX_API_KEYS = 20;

const COLUMNS = 'id, name, hint, created_at as createdAt, last_used_at as lastUsedAt';

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
    remove: db.prepare('delete from api_keys where account_id = ? and id = ?'),
    touch: db.prepare(
      'update api_keys set last_used_at = ? where id = ? and (last_used_at is null or last_used_at < ?)',
    ),
  };
}

/** API keys (specification 5.1): each acts for the whole account of its owner. Kept as digests. */
export function createApiKeys(db: Database, { digest, usedForms }: { digest: Digest; usedForms: UsedForms }) {
  const run = prepareStatements(db);
  const insert = (accountId: string, name: string) => {
    const key = newApiKey();
    const hint = apiKeyHint(key);
    run.insert.run(newHexId(), accountId, name, digest(key), hint, new Date().toISOString());
    return { key, name };
  };
  const own = (accountId: string, id: string) => run.one.get(accountId, id);
  return {
    own,
    ofAccount: (accountId: string) => run.list.all(accountId),
    create: db.transaction((accountId: string, name: string, form: string): NewKey => {
      if (!usedForms.claim(form)) return 'used';
      return (run.count.get(accountId) ?? 0) < MAX_API_KEYS ? insert(accountId, name) : 'full';
    }),
    /** The new key takes the name; the old one stops working at once. */
    replace: db.transaction((accountId: string, id: string, form: string): NewKey => {
      if (!usedForms.claim(form)) return 'used';
      const old = own(accountId, id);
      if (!old) return 'missing';
      run.remove.run(accountId, id);
      return insert(accountId, old.name);
    }),
    remove: (accountId: string, id: string): boolean => run.remove.run(accountId, id).changes === 1,
    /** The key behind a bearer token, which is noted as used; undefined for anything else. */
    find(token: string): { id: string; accountId: string } | undefined {
      const found = isWellFormedApiKey(token) ? run.byDigest.get(digest(token)) : undefined;
      if (found) run.touch.run(new Date().toISOString(), found.id, minuteAgo());
      return found;
    },
  };
}
