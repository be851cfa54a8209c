import { z } from 'zod';
import { newHexId } from '../../shared/ids.ts';
import { ensureAccount } from '../../store/accounts/accounts.ts';
import type { AppAccount } from '../../store/tokens/mappings.ts';
import { findLink, findLinkOf, findOrInsertLink } from '../../store/authorization/reauthorization-links.ts';
import type { Database } from '../../store/driver/store.ts';
import type { AuthorizationRequest } from '../../store/tables/tables.ts';
import type { ModernAccount } from '../../upstream/main-api.ts';
import { type ConsentedPair, readConsentingAccount } from '../grants/consenting-account.ts';
import type { AuthorizationDeps } from './deps.ts';
import { statesOf } from '../grants/mapping-state.ts';
import { proveObserved } from '../old-api/prove-observed.ts';
import { recordEvent } from '../history/record-event.ts';
import { storeGrantForTokens } from '../grants/store-grant.ts';
import { keepSignedIn, type ProvenPerson } from './sign-in.ts';

/** Asks an account holder to connect the waiting tokens of one app by one consent (docs/decisions/0001). */

/**
 * The address of the one link for an app and account, made at its first use. The link needs a sign-in to that account,
 * so the link may be forwarded to anybody.
 */
export async function reauthorizationLink(context: AuthorizationDeps, pair: AppAccount): Promise<string> {
  const id = (await findLinkOf(context.store.durable, pair)) ?? (await makeLink(context, pair));
  return `${context.settings.publicUrl}/apps/connect/${id}`;
}

async function makeLink(context: AuthorizationDeps, pair: AppAccount): Promise<string> {
  const newId = newHexId();
  return context.store.transaction(async (tx: Database) => {
    const now = context.clock.now();
    if (await ensureAccount(tx, pair.accountId, now)) {
      const named = { at: now, actor: 'bridge', action: 'account_named', accountId: pair.accountId };
      await recordEvent(context, tx, { ...named, reason: 'a link for its tokens' });
    }
    return findOrInsertLink(tx, { id: newId, ...pair, now });
  });
}

/** The app and account of a link. */
export async function openLink(context: AuthorizationDeps, id: string): Promise<AppAccount | undefined> {
  const link = await findLink(context.store.durable, id);
  return link && { clientId: link.client_id, accountId: link.account_id };
}

/**
 * The outcome of a new consent. `connected`: every token of the app and account works. With any other outcome nothing
 * was connected. `another account`: the person consented with another account. `nothing waits`: no token waits any
 * more. `not proven`: the pasted token was not proven to belong to this account. `of another app`: the pasted token
 * belongs to this account now, but has moved to the app `clientId` since it was pasted. `person`: whom the consent signs
 * in, for a request that began signed out; never for another account (docs/decisions/0031).
 */
type ReauthorizationResult = { person?: ProvenPerson | undefined } & (
  | { outcome: 'connected' | 'nothing waits' | 'of another app'; clientId: string }
  | { outcome: 'not proven'; clientId: string }
  | { outcome: 'another account'; clientId: string; email: string }
);

/** For a pasted token: the outcome, if no grant is to be stored; otherwise the id of the token's mapping. */
async function hindrance(
  context: AuthorizationDeps,
  request: AuthorizationRequest,
  proof: { account: ModernAccount; consented: ConsentedPair },
): Promise<ReauthorizationResult | { pasted: string }> {
  const proven = await proveObserved(context, request, proof);
  if (!proven) return { outcome: 'not proven', clientId: request.client_id ?? '' };
  const { clientId, state } = proven;
  if (clientId === request.client_id) return { pasted: proven.mappingId };
  // A token that has ended is reported with the app at which it ended.
  if (!statesOf('granted').includes(state)) return { outcome: 'nothing waits', clientId };
  return { outcome: state === 'active' ? 'connected' : 'of another app', clientId };
}

const idsShape = z.array(z.string());

/** The tokens that the page listed before the consent, and the person chose. */
export function listedIn({ listed_tokens: listed }: AuthorizationRequest): string[] {
  return idsShape.parse(JSON.parse(listed ?? '[]'));
}

/**
 * Ends a new consent for waiting tokens. A token pair that is not stored, such as that of another account, is dropped
 * and left to expire. Revoking the pair might revoke the whole consent of that account for this client, with grants
 * that serve other apps (docs/decisions/0019).
 * @throws {Unauthorized | Forbidden | Unavailable} no grant was stored, and nobody is signed in
 */
export async function reauthorize(
  context: AuthorizationDeps,
  request: AuthorizationRequest,
  consented: ConsentedPair,
): Promise<ReauthorizationResult> {
  const { client_id: clientId, account_id: accountId } = request;
  if (clientId === null || accountId === null)
    throw new Error(`request ${request.id} names no app and account`);
  const account = await readConsentingAccount(context, consented);
  if (account.id !== accountId) return { outcome: 'another account', clientId, email: account.email };
  const requestId = consented.calling?.requestId ?? request.id;
  // Before the grant is stored, so that tokens under the person's address are connected too.
  const person = request.return_to === null ? undefined : await keepSignedIn(context, account, requestId);
  const listed = listedIn(request);
  if (request.evidence !== null) {
    const pasted = await hindrance(context, request, { account, consented });
    if ('outcome' in pasted) return pasted;
    listed.push(pasted.pasted);
  }
  const origin = { actor: `account:${accountId}`, requestId };
  const isStored = await storeGrantForTokens(context, { ...consented, clientId, account, origin, listed });
  return { outcome: isStored ? 'connected' : 'nothing waits', clientId, person };
}
