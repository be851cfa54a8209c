import { newHexId, newOpaqueValue } from '../../shared/ids.ts';
import { DAY } from '../../shared/lifetimes.ts';
import { tokensIn } from '../../shared/log/token-like.ts';
import { momentText } from '../../shared/moments.ts';
import { Refusal } from '../../shared/refusals/refusal.ts';
import { countLiveApiKeys, insertApiKey } from '../../store/api-keys/api-keys.ts';
import type { Database } from '../../store/driver/store.ts';
import type { StaffRole } from '../accounts/staff.ts';
import { recordEvent } from '../history/record-event.ts';
import { requireUsableKey, withUsableKeys } from '../keys/retry-after-key-rotation.ts';
import type { Origin } from '../origin.ts';
import type { ApiKeysDeps } from './deps.ts';

/** Makes a key with which a program acts as staff (docs/decisions/0029). */

/** The key is not made. The message says why, in one sentence for a person. */
export class ApiKeyRefused extends Refusal {}

interface ApiKeyRequest extends Origin {
  name: string;
  role: StaffRole;
  days: number;
  /** The account that makes the key on a page: the key may do no more than this account may do. */
  accountId?: string;
  /** Chosen beforehand, so that a form that is sent twice makes one key. */
  id?: string;
}

/** A new key. Its text is shown once and stored nowhere. */
export interface MadeApiKey {
  id: string;
  key: string;
  expiresAt: number;
}

/** The beginning of every key, by which people and scanners know it. */
const PREFIX = 'gbk_';

/** Whether a text can be a key at all. */
export const isApiKeyForm = (text: string): boolean => /^gbk_[A-Za-z0-9_-]{43}$/.test(text);

const NAME_MAX = 80;
const DAYS_MAX = 366;
/** Far more than the tools of one operator. */
const KEYS_MAX = 200;

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

function checkedName(given: string): string {
  const name = given.trim();
  if (name === '' || Array.from(name).length > NAME_MAX || UNPRINTABLE.test(name))
    throw new ApiKeyRefused(`The name has to have 1 to ${NAME_MAX} printable characters.`);
  if (tokensIn(name).length > 0) throw new ApiKeyRefused('The name seems to hold a token or secret.');
  return name;
}

function checkDays(days: number): void {
  if (!Number.isInteger(days) || days < 1 || days > DAYS_MAX)
    throw new ApiKeyRefused(`A key lasts a whole number of days, from 1 to ${DAYS_MAX}.`);
}

/**
 * Makes a key and returns its text, this once; `known` where a key with this id was made before.
 * @throws {ApiKeyRefused}
 */
export async function makeApiKey(context: ApiKeysDeps, asked: ApiKeyRequest): Promise<MadeApiKey | 'known'> {
  const { role, days, actor, requestId, accountId, id = newHexId() } = asked;
  const name = checkedName(asked.name);
  checkDays(days);
  const key = PREFIX + newOpaqueValue();
  const keep = async (tx: Database): Promise<MadeApiKey | 'known'> => {
    const now = context.clock.now();
    const [digest, expiresAt] = [context.vault.digest(key), now + days * DAY];
    await requireUsableKey(tx, 'digest', digest);
    const row = { id, name, role, key_digest: digest, made_at: now, made_by: actor, expires_at: expiresAt };
    if (!(await insertApiKey(tx, { ...row, account_id: accountId ?? null }))) return 'known';
    if ((await countLiveApiKeys(tx, now)) > KEYS_MAX)
      throw new ApiKeyRefused(`There are ${KEYS_MAX} keys already. End those that nobody uses.`);
    const reason = `${id} “${name}”: ${role}, until ${momentText(expiresAt)}`;
    await recordEvent(context, tx, { at: now, actor, requestId, action: 'api_key_made', reason });
    return { id, key, expiresAt };
  };
  return withUsableKeys(context, () => context.store.transaction(keep));
}
