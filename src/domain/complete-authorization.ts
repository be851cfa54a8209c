import { setTimeout as delay } from 'node:timers/promises';
import { newHexId, newLegacyCode } from '../shared/ids.ts';
import { LEGACY_CODE_LIFETIME, SECOND } from '../shared/lifetimes.ts';
import { upsertAccount } from '../store/accounts.ts';
import { findGrant, findLiveGrant, insertGrant, markDead } from '../store/grants.ts';
import { insertCode } from '../store/legacy-codes.ts';
import { moveMappings } from '../store/mappings.ts';
import { isConstraintFailure } from '../store/storage-fault.ts';
import type { Database } from '../store/store.ts';
import type { Grant, LegacyRequest, NewGrant } from '../store/tables.ts';
import type { AccountReading, ModernAccount } from '../upstream/main-api.ts';
import { type TokenPair, Unavailable } from '../upstream/outcomes.ts';
import { forgetAnswer } from './answer-cache.ts';
import type { Context, Origin } from './context.ts';
import { insist } from './insist.ts';
import { moveOf } from './mapping-state.ts';
import { withPatience } from './patience.ts';
import { ofMappings, recordEvents } from './record-event.ts';
import { sealPair } from './sealed-pair.ts';
import { requireUsable, withUsableKeys } from './under-all-keys.ts';

/** A pair fresh from the modern consent, and when its request left. */
export interface Consented {
  pair: TokenPair;
  sentAt: number;
  /** The client that the consent named. */
  modernClientId: string;
}

/** Whose consent it is, for which app. */
interface Consent extends Consented {
  clientId: string;
  account: ModernAccount;
  origin: Origin;
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

async function keepAccount(tx: Database, account: ModernAccount, now: number): Promise<boolean> {
  const { id, email, name, timezone } = account;
  return upsertAccount(tx, {
    account_id: id,
    email,
    name: name ?? null,
    timezone: timezone ?? null,
    updated_at: now,
  });
}

/** A rule of the schema that a new grant breaks is broken at the next attempt too: the person starts again. */
function endOnConstraint(error: unknown): never {
  throw isConstraintFailure(error) ? new Error('the grant cannot be kept', { cause: error }) : error;
}

/** Stores the grant and lets every waiting token of that app and account stand on it, in one transaction. */
async function storeGrant(context: Context, grantId: string, consent: Consent): Promise<void> {
  const { account, origin } = consent;
  const pair = { clientId: consent.clientId, accountId: account.id };
  const inOneStep = async (tx: Database) => {
    // A commit whose answer was lost on the way is found to be done already.
    if (await findGrant(tx, grantId)) return undefined;
    const now = context.clock.now();
    const grant = newGrantRow(context, grantId, consent);
    await requireUsable(tx, 'sealing', grant.refresh_token_sealed ?? '');
    const isChanged = await keepAccount(tx, account, now);
    const older = await replaceOlder(tx, grant, now);
    await insertGrant(tx, grant);
    const moved = await moveMappings(tx, pair, {
      ...moveOf('granted'),
      reason: null,
      grantId: grant.id,
      now,
    });
    const by = { at: now, actor: origin.actor, requestId: origin.requestId, ...pair };
    const replaced = {
      ...by,
      action: 'grant_replaced',
      reason: 'a newer consent',
      grantId: older?.id ?? null,
    };
    const granted = { ...by, action: 'granted', reason: 'consent', grantId: grant.id };
    const learned = { ...by, action: 'account_changed', reason: 'the modern side says so' };
    const connected = { ...by, action: 'token_connected', reason: 'consent', grantId: grant.id };
    await recordEvents(context, tx, [
      ...(isChanged ? [learned] : []),
      ...(older ? [replaced] : []),
      granted,
      ...ofMappings(connected, moved),
    ]);
    return older;
  };
  const replaced = await insist(context, 'a new grant', () =>
    withUsableKeys(context, () => context.store.transaction(inOneStep)).catch(endOnConstraint),
  );
  if (replaced) await forgetAnswer(context, replaced.id);
}

const READ_ATTEMPTS = 3;
const LONGEST_WAIT = 3 * SECOND;

/** The pair is worth some patience: without the account it cannot be stored, and the person would have to start again. */
async function readInsistently(
  context: Context,
  { pair, modernClientId }: Consented,
): Promise<AccountReading> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await context.sides.mainApiFor(modernClientId).read(pair.accessToken, []);
    } catch (error) {
      const wait = error instanceof Unavailable ? (error.retryAfter ?? SECOND / 2) : Number.POSITIVE_INFINITY;
      if (attempt >= READ_ATTEMPTS || wait > LONGEST_WAIT) throw error;
      await delay(wait);
    }
  }
}

/**
 * Ends a consent: learns the account, stores the modern grant, and only then makes the 30-second legacy code, so that
 * none of its life is spent on the modern exchange (quirk Q19). Answers the code.
 * @throws {Unauthorized | Forbidden | Unavailable} nothing was stored
 */
export async function completeAuthorization(
  context: Context,
  request: LegacyRequest,
  consented: Consented,
): Promise<string> {
  const { account } = await readInsistently(context, consented);
  const origin = { actor: `account:${account.id}`, requestId: request.id };
  const consent = { ...consented, clientId: request.client_id, account, origin };
  const grantId = newHexId();
  // A stop waits for it, as for every pair that exists nowhere else.
  await withPatience(context.flights.run(`grant ${grantId}`, () => storeGrant(context, grantId, consent)));
  const code = newLegacyCode();
  const now = context.clock.now();
  await insertCode(context.store.durable, {
    code_digest: context.vault.digest(code),
    client_id: request.client_id,
    redirect_uri: request.redirect_uri,
    redirect_uri_given: request.redirect_uri_given,
    account_id: account.id,
    grant_id: grantId,
    created_at: now,
    expires_at: now + LEGACY_CODE_LIFETIME,
  });
  return code;
}
