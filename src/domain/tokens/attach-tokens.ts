import { findLiveGrant } from '../../store/grants/grants.ts';
import { moveMappings, type AppAccount } from '../../store/tokens/mappings.ts';
import { isUnidentified } from '../../store/tokens/observed.ts';
import { findTakenGrant, settledPairs } from '../../store/tokens/settled-pairs.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Origin } from '../origin.ts';
import type { TokensDeps } from './deps.ts';
import { moveOf } from '../grants/mapping-state.ts';
import { ofMappings, recordEvents } from '../history/record-event.ts';

/**
 * The app has taken the grant over and asks for no consent through the bridge any more. A token of the app and account
 * that becomes known later is therefore `migrated` too, unless a newer consent followed.
 */
async function migrateTokens(
  context: TokensDeps,
  tx: Database,
  { clientId, accountId, ...origin }: AppAccount & Origin,
): Promise<number> {
  const pair = { clientId, accountId };
  const grantId = await findTakenGrant(tx, pair);
  if (grantId === undefined) return 0;
  const now = context.clock.now();
  const moved = await moveMappings(tx, pair, {
    ...moveOf('handed_over'),
    reason: 'handed_over',
    onlyProven: true,
    now,
  });
  const migrated = { at: now, ...origin, ...pair, action: 'token_migrated', grantId };
  await recordEvents(context, tx, ofMappings({ ...migrated, reason: 'the app took the grant over' }, moved));
  return moved.length;
}

/**
 * Puts the waiting tokens of an app and account on their live grant: one grant serves all tokens of the two, also a
 * token that became known later. Where the app has taken that grant over, the tokens become `migrated`. Runs in the
 * transaction that made the tokens known; returns how many tokens moved.
 *
 * An unidentified program is no app: unrelated programs send the same user agent. Its tokens wait for a consent that
 * lists them.
 */
export async function attachTokens(
  context: TokensDeps,
  tx: Database,
  { clientId, accountId, ...origin }: AppAccount & Origin,
): Promise<number> {
  const pair = { clientId, accountId };
  if (await isUnidentified(tx, clientId)) return 0;
  const grant = await findLiveGrant(tx, clientId, accountId);
  if (!grant) return migrateTokens(context, tx, { ...pair, ...origin });
  const now = context.clock.now();
  const moved = await moveMappings(tx, pair, {
    ...moveOf('adopted'),
    reason: null,
    grantId: grant.id,
    onlyProven: true,
    now,
  });
  const connected = { at: now, ...origin, ...pair, action: 'token_connected', grantId: grant.id };
  await recordEvents(context, tx, ofMappings({ ...connected, reason: 'a grant serves the pair' }, moved));
  return moved.length;
}

const keyOf = ({ clientId, accountId }: AppAccount) => `${clientId} ${accountId}`;

/** Does `attachTokens` for many apps and accounts, most of which have no grant. */
export async function attachPairs(
  context: TokensDeps,
  tx: Database,
  { pairs, origin }: { pairs: readonly AppAccount[]; origin: Origin },
): Promise<void> {
  const asked = new Set(pairs.map(keyOf));
  const accountIds = [...new Set(pairs.map(({ accountId }) => accountId))];
  if (accountIds.length === 0) return;
  for (const pair of await settledPairs(tx, accountIds))
    if (asked.delete(keyOf(pair))) await attachTokens(context, tx, { ...pair, ...origin });
}
