import { HOUR } from '../../shared/lifetimes.ts';
import { findLiveApiKey, type LiveApiKey, noteApiKeyUse } from '../../store/api-keys/api-keys.ts';
import type { StaffRole } from '../accounts/staff.ts';
import { apiKeyIdOf } from '../history/key-actor.ts';
import { underAllKeys } from '../keys/retry-after-key-rotation.ts';
import type { ApiKeysDeps } from './deps.ts';
import { roleNow } from './key-role.ts';
import { isApiKeyForm } from './make-api-key.ts';

/** Who calls the staff API: a key that lives, with what it may do now. */

export interface KeyCaller {
  keyId: string;
  name: string;
  role: StaffRole;
  expiresAt: number;
}

function callerOf(context: ApiKeysDeps, found: LiveApiKey | undefined): KeyCaller | undefined {
  const role = found && roleNow(context, found);
  if (!found || role === undefined) return undefined;
  return { keyId: found.id, name: found.name, role, expiresAt: found.expires_at };
}

/** Nobody waits for this, and a failure loses no more than an hour of the list. */
function noteUse({ store, logger }: ApiKeysDeps, { id, last_used_at: last }: LiveApiKey, now: number): void {
  if (last !== null && now - last < HOUR) return;
  noteApiKeyUse(store.aside, id, now).catch((error: unknown) =>
    logger.warn('the use of an API key could not be noted', { error }),
  );
}

/**
 * The caller with this key. Undefined where the key is unknown, has ended or expired, or where the person who made it is
 * no staff any more.
 * @throws {KeyMissing}
 */
export async function apiCallerWith(context: ApiKeysDeps, key: string): Promise<KeyCaller | undefined> {
  if (!isApiKeyForm(key)) return undefined;
  const { store, clock, vault } = context;
  const now = clock.now();
  const found = await underAllKeys(context, () =>
    findLiveApiKey(store.durable, { digests: vault.digests(key) }, now),
  );
  const caller = callerOf(context, found);
  if (found && caller) noteUse(context, found, now);
  return caller;
}

/** What a key may do now that asked for something before; undefined as in `apiCallerWith`. */
export async function apiCallerNamed(context: ApiKeysDeps, actor: string): Promise<KeyCaller | undefined> {
  const { store, clock } = context;
  return callerOf(context, await findLiveApiKey(store.durable, { id: apiKeyIdOf(actor) }, clock.now()));
}
