import { newHexId } from '../../shared/ids.ts';
import { findGrant, findLiveGrant, insertGrant, markDead } from '../../store/grants/grants.ts';
import { isUnidentified } from '../../store/tokens/observed.ts';
import { markLinkUsed } from '../../store/authorization/reauthorization-links.ts';
import { isConstraintFailure } from '../../store/driver/storage-fault.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant, NewGrant } from '../../store/tables/tables.ts';
import { hasConsented, moveConsented, takeListed } from '../../store/tokens/claims.ts';
import type { ModernAccount } from '../../upstream/main-api.ts';
import { forgetAnswer } from './refresh/answer-cache.ts';
import { type Consented, keepAccount } from './consenting-account.ts';
import type { Context, Origin } from '../context.ts';
import { oweUnlessFinished } from './unfinished-consent.ts';
import { retryUntilStored } from '../work/retry-until-stored.ts';
import { moveOf } from './mapping-state.ts';
import { withTimeout } from '../work/with-timeout.ts';
import { ofMappings, recordEvents } from '../history/record-event.ts';
import { sealPair } from './sealed-pair.ts';
import { requireUsable, withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/** Whose consent it is, for which app. */
interface Consent extends Consented {
  clientId: string;
  account: ModernAccount;
  origin: Origin;
  /** The ids of the mappings that the page named before the consent. A token without a proven app moves only by that. */
  listed?: readonly string[];
}

function newGrantRow(
  context: Context,
  id: string,
  { clientId, account, pair, sentAt, modernClientId }: Consent,
): NewGrant {
  const now = context.clock.now();
  const sealed = sealPair(context, { id, version: 1, sentAt }, pair);
  return {
    id,
    client_id: clientId,
    account_id: account.id,
    modern_client_id: modernClientId,
    state: 'ready',
    version: 1,
    access_token_sealed: sealed.accessTokenSealed,
    refresh_token_sealed: sealed.refreshTokenSealed,
    scope: sealed.scope,
    access_expires_at: sealed.accessExpiresAt,
    refresh_at: sealed.refreshAt,
    rotated_at: now,
    created_at: now,
    updated_at: now,
  };
}

/** A newer consent replaces the older grant by erasing it, never by revoking it: a server may share one consent. */
async function replaceOlder(tx: Database, grant: NewGrant, now: number): Promise<Grant | undefined> {
  const older = await findLiveGrant(tx, grant.client_id, grant.account_id);
  if (older) await markDead(tx, older, { cause: 'replaced', now, eraseTokens: true });
  return older;
}

/** A rule of the schema that a new grant breaks is broken at the next attempt too: the person starts again. */
function endOnConstraint(error: unknown): never {
  throw isConstraintFailure(error) ? new Error('the grant cannot be kept', { cause: error }) : error;
}

/** The tokens that the consent is about; those that it listed belong to its app from here on. */
async function consentedTokens(context: Context, tx: Database, consent: Consent) {
  const { account, origin, listed = [] } = consent;
  const pair = { clientId: consent.clientId, accountId: account.id };
  const now = context.clock.now();
  const taken = await takeListed(tx, pair, { ids: listed, now });
  const assigned = taken.filter(({ client_id }) => client_id !== pair.clientId);
  const by = {
    at: now,
    ...origin,
    ...pair,
    action: 'token_assigned',
    reason: 'its holder chose it for the app',
  };
  const ids = (tokens: typeof taken) => tokens.map(({ id }) => id);
  await recordEvents(context, tx, ofMappings(by, ids(assigned)));
  const isProgram = await isUnidentified(tx, pair.clientId);
  return { pair, isProgram, listed: ids(taken), from: moveOf('granted').from };
}

interface Storing {
  grantId: string;
  consent: Consent;
  /** Whether it has to serve a token at once, or else is not kept. */
  isForTokens: boolean;
}

/** What was stored, and the grant that it replaced; undefined where there is no token to serve. */
interface Stored {
  replaced?: Grant | undefined;
}

async function storeIn(
  context: Context,
  tx: Database,
  { grantId, consent, isForTokens }: Storing,
): Promise<Stored | undefined> {
  const { account, origin } = consent;
  const pair = { clientId: consent.clientId, accountId: account.id };
  // A commit whose answer was lost on the way is found to be done already.
  if (await findGrant(tx, grantId)) return {};
  const tokens = await consentedTokens(context, tx, consent);
  if (isForTokens && !(await hasConsented(tx, tokens))) return undefined;
  const now = context.clock.now();
  const grant = newGrantRow(context, grantId, consent);
  await requireUsable(tx, 'sealing', grant.refresh_token_sealed ?? '');
  const by = { at: now, actor: origin.actor, requestId: origin.requestId, ...pair };
  const learned = await keepAccount(tx, account, by);
  const older = await replaceOlder(tx, grant, now);
  await insertGrant(tx, grant);
  const { refreshToken } = consent.pair;
  if (!isForTokens) await oweUnlessFinished(context, tx, { grantId, refreshToken });
  const moved = await moveConsented(tx, tokens, { to: moveOf('granted').to, grantId, now });
  await markLinkUsed(tx, pair, now);
  const replaced = { ...by, action: 'grant_replaced', reason: 'a newer consent', grantId: older?.id ?? null };
  const granted = { ...by, action: 'granted', reason: 'consent', grantId };
  const connected = { ...by, action: 'token_connected', reason: 'consent', grantId };
  await recordEvents(context, tx, [
    ...learned,
    ...(older ? [replaced] : []),
    granted,
    ...ofMappings(connected, moved),
  ]);
  return { replaced: older };
}

async function store(context: Context, storing: Storing): Promise<boolean> {
  const stored = await retryUntilStored(context, 'a new grant', () =>
    withUsableKeys(context, () => context.store.transaction((tx) => storeIn(context, tx, storing))).catch(
      endOnConstraint,
    ),
  );
  if (stored?.replaced) await forgetAnswer(context, stored.replaced.id);
  return stored !== undefined;
}

/** A stop waits for it, as for every pair that exists nowhere else. */
async function storePatiently(context: Context, storing: Storing): Promise<boolean> {
  return withTimeout(context.flights.run(`grant ${storing.grantId}`, () => store(context, storing)));
}

/**
 * Stores the grant of a consent and lets every waiting token of that app and account stand on it, if the app of the token
 * is proven or the consent listed the token. In one transaction, which also uses up the link that asked for it. Answers the
 * grant's id.
 * @throws {Unavailable} when it takes longer than a person waits; it goes on
 */
export async function storeGrant(context: Context, consent: Consent): Promise<string> {
  const grantId = newHexId();
  await storePatiently(context, { grantId, consent, isForTokens: false });
  return grantId;
}

/**
 * The same, for a consent that no code follows: without a token that stands on it the grant would be kept alive for ever
 * and serve nobody. False where the tokens of the pair have ended or moved meanwhile; then nothing was stored.
 * @throws {Unavailable} as storeGrant
 */
export async function storeGrantForTokens(context: Context, consent: Consent): Promise<boolean> {
  return storePatiently(context, { grantId: newHexId(), consent, isForTokens: true });
}
