import { newHexId } from '../../shared/ids.ts';
import { findGrant, findLiveGrant, insertGrant, markDead } from '../../store/grants/grants.ts';
import { isUnidentified } from '../../store/tokens/observed.ts';
import { markLinkUsed } from '../../store/authorization/reauthorization-links.ts';
import { isConstraintFailure } from '../../store/driver/storage-fault.ts';
import type { Database } from '../../store/driver/store.ts';
import { type Grant, type NewGrant, WAITING_STATES } from '../../store/tables/tables.ts';
import { hasConsented, moveConsented, takeListed } from '../../store/tokens/claims.ts';
import type { ModernAccount } from '../../upstream/main-api.ts';
import { forgetAnswer } from './refresh/answer-cache.ts';
import { tellSettled } from './refresh/tell-settled.ts';
import { type ConsentedPair, keepAccount } from './consenting-account.ts';
import { laterThan } from './consent-order.ts';
import type { Origin } from '../origin.ts';
import type { GrantsDeps } from './deps.ts';
import { oweUnlessFinished } from './unfinished-consent.ts';
import { retryUntilStored } from '../work/retry-until-stored.ts';
import { moveOf } from './mapping-state.ts';
import { withTimeout } from '../work/with-timeout.ts';
import { NEWER_CONSENT } from '../history/reason.ts';
import { type HistoryChange, ofMappings, recordEvents } from '../history/record-event.ts';
import { sealPair } from './sealed-pair.ts';
import { requireUsableKey, withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/** The consent of an account for an app. */
interface Consent extends ConsentedPair {
  clientId: string;
  account: ModernAccount;
  origin: Origin;
  /**
   * The ids of the mappings that the page listed before the consent. A waiting token without a proven app is connected
   * only if it was listed.
   */
  listed?: readonly string[];
}

function newGrantRow(
  context: GrantsDeps,
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
    consented_at: sentAt,
  };
}

/**
 * A newer consent replaces the older grant. The older pair is erased and never revoked, because a server may treat both
 * as one consent.
 */
async function replaceOlder(tx: Database, grant: NewGrant, now: number): Promise<Grant | undefined> {
  const older = await findLiveGrant(tx, grant.client_id, grant.account_id);
  if (older) await markDead(tx, older, { cause: 'replaced', now, eraseTokens: true });
  return older;
}

/**
 * A new grant that breaks a rule of the schema would break it again at the next attempt. So the person has to start
 * again.
 */
function endOnConstraint(error: unknown): never {
  throw isConstraintFailure(error) ? new Error('the grant cannot be kept', { cause: error }) : error;
}

/** The tokens that the consent covers. Tokens that the consent listed now belong to its app. */
async function consentedTokens(context: GrantsDeps, tx: Database, consent: Consent) {
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

/**
 * Moves the tokens to the grant of the consent, and tells each in the history. One that works already is told with another
 * reason than one that begins to work: its app is not told by a webhook that it works again.
 */
async function moveTokens(
  tx: Database,
  tokens: ConsentedTokens,
  { by, grantId, now }: { by: Omit<HistoryChange, 'action' | 'reason'>; grantId: string; now: number },
): Promise<HistoryChange[]> {
  const move = { to: moveOf('granted').to, grantId, now };
  // In this order: after the other one all of them would be active.
  const working = await moveConsented(tx, { ...tokens, from: ['active'] }, move);
  const waiting = await moveConsented(tx, { ...tokens, from: WAITING_STATES }, move);
  const connected = { ...by, action: 'token_connected', grantId };
  return [
    ...ofMappings({ ...connected, reason: NEWER_CONSENT }, working),
    ...ofMappings({ ...connected, reason: 'consent' }, waiting),
  ];
}

interface StoreGrantInput {
  grantId: string;
  consent: Consent;
  /** Whether the grant is stored only if a token needs it now. */
  isForTokens: boolean;
  /** The older grant that the last attempt replaced. The answer to its commit may be lost, and the next attempt finds the new grant. */
  attempts: { replaced?: Grant | undefined };
}

/** The live grant of the consent, and the older grant that it replaced; or that the consent gives nothing. */
type StoreGrantResult = { grantId: string; replaced?: Grant | undefined } | 'dropped';

type ConsentedTokens = Awaited<ReturnType<typeof consentedTokens>>;

/**
 * A later consent of the app and account was stored before this one. Its grant stays and serves the tokens of both. The
 * pair of this one is left to expire, as that of a replaced grant is (docs/decisions/0019).
 */
async function joinLater(
  context: GrantsDeps,
  tx: Database,
  { later, tokens, origin }: { later: Grant; tokens: ConsentedTokens; origin: Origin },
): Promise<StoreGrantResult> {
  const { pair } = tokens;
  const [now, grantId] = [context.clock.now(), later.id];
  const waiting = { ...tokens, from: WAITING_STATES };
  const moved = await moveConsented(tx, waiting, { to: moveOf('granted').to, grantId, now });
  await markLinkUsed(tx, pair, now);
  const connected = { at: now, ...origin, ...pair, action: 'token_connected', reason: 'consent', grantId };
  await recordEvents(context, tx, ofMappings(connected, moved));
  return { grantId };
}

/**
 * The app was deauthorized after this consent, but the grant of the consent lives at the new API. It is stored as ended, and
 * its revocation is owed like that of a consent that was never completed: due after a while, so that another consent of
 * the account that is just being stored is seen as a sibling (docs/decisions/0019). No entry of the history tells of it: the
 * connection that people knew ended by the deauthorization.
 */
async function drop(
  context: GrantsDeps,
  tx: Database,
  { grantId, consent }: StoreGrantInput,
): Promise<StoreGrantResult> {
  const { account, origin, pair } = consent;
  const now = context.clock.now();
  const erased = { access_token_sealed: null, refresh_token_sealed: null };
  const ended = { state: 'dead', dead_cause: 'deauthorized', dead_at: now } as const;
  const by = { at: now, actor: origin.actor, requestId: origin.requestId };
  await recordEvents(context, tx, await keepAccount(tx, account, by));
  await insertGrant(tx, { ...newGrantRow(context, grantId, consent), ...erased, ...ended });
  await oweUnlessFinished(context, tx, { grantId, refreshToken: pair.refreshToken });
  return 'dropped';
}

async function storeNew(
  context: GrantsDeps,
  tx: Database,
  { grantId, consent, isForTokens, attempts, tokens }: StoreGrantInput & { tokens: ConsentedTokens },
): Promise<StoreGrantResult> {
  const { account, origin } = consent;
  const { pair } = tokens;
  const now = context.clock.now();
  const grant = newGrantRow(context, grantId, consent);
  await requireUsableKey(tx, 'sealing', grant.refresh_token_sealed ?? '');
  const by = { at: now, actor: origin.actor, requestId: origin.requestId, ...pair };
  const learned = await keepAccount(tx, account, by);
  const older = await replaceOlder(tx, grant, now);
  await insertGrant(tx, grant);
  const { refreshToken } = consent.pair;
  if (!isForTokens) await oweUnlessFinished(context, tx, { grantId, refreshToken });
  const connected = await moveTokens(tx, tokens, { by, grantId, now });
  await markLinkUsed(tx, pair, now);
  const replaced = { ...by, action: 'grant_replaced', reason: NEWER_CONSENT, grantId: older?.id ?? null };
  const granted = { ...by, action: 'granted', reason: 'consent', grantId };
  await recordEvents(context, tx, [...learned, ...(older ? [replaced] : []), granted, ...connected]);
  attempts.replaced = older;
  return { grantId, replaced: older };
}

async function storeIn(
  context: GrantsDeps,
  tx: Database,
  storing: StoreGrantInput,
): Promise<StoreGrantResult> {
  const { grantId, consent, isForTokens, attempts } = storing;
  const { clientId, account, sentAt, origin } = consent;
  // An earlier commit stored the grant, but its answer was lost.
  const stored = await findGrant(tx, grantId);
  if (stored)
    return stored.dead_cause === 'deauthorized' ? 'dropped' : { grantId, replaced: attempts.replaced };
  const later = await laterThan(context, tx, { clientId, accountId: account.id, sentAt });
  if (later === 'ended') return drop(context, tx, storing);
  const tokens = await consentedTokens(context, tx, consent);
  if (isForTokens && !(await hasConsented(tx, tokens))) return 'dropped';
  return later
    ? joinLater(context, tx, { later, tokens, origin })
    : storeNew(context, tx, { ...storing, tokens });
}

async function store(context: GrantsDeps, storing: StoreGrantInput): Promise<string | undefined> {
  const stored = await retryUntilStored(context, 'a new grant', () =>
    withUsableKeys(context, () => context.store.transaction((tx) => storeIn(context, tx, storing))).catch(
      endOnConstraint,
    ),
  );
  if (stored === undefined || stored === 'dropped') return undefined;
  const { grantId, replaced } = stored;
  if (replaced) {
    tellSettled(context, replaced, 'replaced');
    await forgetAnswer(context, replaced.id);
  }
  return grantId;
}

/** Stores as a flight, because a stop waits for flights: the pair exists nowhere else. */
async function storePatiently(context: GrantsDeps, storing: StoreGrantInput): Promise<string | undefined> {
  return withTimeout(context.flights.run(`grant ${storing.grantId}`, () => store(context, storing)));
}

/**
 * Stores the grant of a consent and lets it serve the tokens of its app and account: active tokens, and waiting tokens
 * whose app is proven or which the consent listed. The same transaction uses up the link that asked for the consent.
 * Returns the id of the grant: that of a later consent, if one was stored meanwhile. Undefined where somebody deauthorized
 * the app for the account after the consent: then the revocation of the pair is owed.
 * @throws {Unavailable} when storing takes longer than a person waits; storing continues
 */
export async function storeGrant(context: GrantsDeps, consent: Consent): Promise<string | undefined> {
  return storePatiently(context, { grantId: newHexId(), consent, isForTokens: false, attempts: {} });
}

/**
 * Like storeGrant, for a consent that no code follows. A grant that serves no token would be kept alive for ever, so it
 * is not stored. Returns false, with nothing stored, if the waiting tokens of the app and account have ended or moved
 * meanwhile; and where the app was deauthorized, as storeGrant does.
 * @throws {Unavailable} as storeGrant
 */
export async function storeGrantForTokens(context: GrantsDeps, consent: Consent): Promise<boolean> {
  const grantId = await storePatiently(context, {
    grantId: newHexId(),
    consent,
    isForTokens: true,
    attempts: {},
  });
  return grantId !== undefined;
}
