import {
  type ApiKeyRow,
  endApiKeyRow,
  listApiKeyRows,
  readApiKeyRow,
} from '../../store/api-keys/api-keys.ts';
import { STAFF_ROLES, type StaffRole } from '../../store/tables/page-tables.ts';
import { checkedReason } from '../history/reason.ts';
import { recordEvent } from '../history/record-event.ts';
import type { Origin } from '../origin.ts';
import type { ApiKeysDeps } from './deps.ts';

/** The keys of programs: their list and their end. */

/** The roles that a key can have, each with the rights of those before it. */
export const API_KEY_ROLES: readonly StaffRole[] = STAFF_ROLES;

/** A key without its digest; times in Unix milliseconds. */
export interface ApiKeyFacts extends ApiKeyRow {
  state: 'live' | 'ended' | 'expired';
}

/** At most so many keys are listed: older ones have ended long ago. */
export const API_KEYS_LISTED = 500;

function factsOf(row: ApiKeyRow, now: number): ApiKeyFacts {
  const state = row.ended_at === null ? (row.expires_at > now ? 'live' : 'expired') : 'ended';
  return { ...row, state };
}

/** The newest keys, those that have ended too. */
export async function listApiKeys({ store, clock }: ApiKeysDeps): Promise<ApiKeyFacts[]> {
  const now = clock.now();
  return (await listApiKeyRows(store.durable, API_KEYS_LISTED)).map((row) => factsOf(row, now));
}

/** One key; undefined where there is none. */
export async function readApiKey(
  { store, clock }: ApiKeysDeps,
  id: string,
): Promise<ApiKeyFacts | undefined> {
  const row = await readApiKeyRow(store.durable, id);
  return row && factsOf(row, clock.now());
}

/**
 * Ends a key: its next request is refused. False where no live key has this id.
 * @throws {ReasonRefused}
 */
export async function endApiKey(
  context: ApiKeysDeps,
  { id, reason, actor, requestId }: Origin & { id: string; reason?: string },
): Promise<boolean> {
  const why = reason === undefined ? '' : `; ${checkedReason(reason)}`;
  return context.store.transaction(async (tx) => {
    const at = context.clock.now();
    const ended = await endApiKeyRow(tx, id, { now: at, by: actor });
    if (!ended) return false;
    const words = `${id} “${ended.name}”${why}`;
    await recordEvent(context, tx, { at, actor, requestId, action: 'api_key_ended', reason: words });
    return true;
  });
}
