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
import { roleNow } from './key-role.ts';

/** The keys of programs: their list and their end. */

/** The roles that a key can have, each with the rights of those before it. */
export const API_KEY_ROLES: readonly StaffRole[] = STAFF_ROLES;

/** A key without its digest; times in Unix milliseconds. */
export interface ApiKeyFacts extends ApiKeyRow {
  /** `refused`: it has neither ended nor expired, but its maker is no staff any more. */
  state: 'live' | 'refused' | 'ended' | 'expired';
  /** What a live key may do now, which may be less than its role; undefined for others. */
  mayNow: StaffRole | undefined;
}

/** At most so many keys are listed: older ones have ended long ago. */
export const API_KEYS_LISTED = 500;

function factsOf(context: ApiKeysDeps, row: ApiKeyRow): ApiKeyFacts {
  const over = { ...row, mayNow: undefined };
  if (row.ended_at !== null) return { ...over, state: 'ended' };
  if (row.expires_at <= context.clock.now()) return { ...over, state: 'expired' };
  const mayNow = roleNow(context, row);
  return { ...row, mayNow, state: mayNow === undefined ? 'refused' : 'live' };
}

/** Whether somebody can still end the key: a refused one works again once its maker is staff again. */
export const canEnd = ({ state }: Pick<ApiKeyFacts, 'state'>): boolean =>
  state === 'live' || state === 'refused';

/** The newest keys, those that have ended too. */
export async function listApiKeys(context: ApiKeysDeps): Promise<ApiKeyFacts[]> {
  const rows = await listApiKeyRows(context.store.durable, API_KEYS_LISTED);
  return rows.map((row) => factsOf(context, row));
}

/** One key; undefined where there is none. */
export async function readApiKey(context: ApiKeysDeps, id: string): Promise<ApiKeyFacts | undefined> {
  const row = await readApiKeyRow(context.store.durable, id);
  return row && factsOf(context, row);
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
