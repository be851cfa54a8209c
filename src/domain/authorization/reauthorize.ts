import { z } from 'zod';
import { newHexId } from '../../shared/ids.ts';
import { ensureAccount } from '../../store/accounts/accounts.ts';
import type { Pair } from '../../store/tokens/mappings.ts';
import { findLink, findLinkOf, findOrInsertLink } from '../../store/authorization/reauthorization-links.ts';
import type { Database } from '../../store/driver/store.ts';
import type { AuthorizationRequest } from '../../store/tables/tables.ts';
import type { ModernAccount } from '../../upstream/main-api.ts';
import { type Consented, readConsentingAccount } from '../grants/consenting-account.ts';
import type { Context } from '../context.ts';
import { statesOf } from '../grants/mapping-state.ts';
import { proveObserved } from '../old-api/prove-observed.ts';
import { recordEvent } from '../history/record-event.ts';
import { storeGrantForTokens } from '../grants/store-grant.ts';

/** Asking the holder of an account to connect the waiting tokens of one app by one consent (docs/decisions/0001). */

/**
 * The address of the one link for an app and account, made when it is first asked for. Who opens it needs the account's
 * own sign-in, so that it may be forwarded to anybody.
 */
export async function reauthorizationLink(context: Context, pair: Pair): Promise<string> {
  const id = (await findLinkOf(context.store.durable, pair)) ?? (await makeLink(context, pair));
  return `${context.settings.publicUrl}/apps/connect/${id}`;
}

async function makeLink(context: Context, pair: Pair): Promise<string> {
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

/** The app and account that a link is for. */
export async function openLink(context: Context, id: string): Promise<Pair | undefined> {
  const link = await findLink(context.store.durable, id);
  return link && { clientId: link.client_id, accountId: link.account_id };
}

/**
 * How a re-authorization ended: every token of the pair works; or nothing was connected because somebody else consented,
 * because no token waits any more, because the token that was pasted for it was not shown to be this account's, or
 * because that token is this account's now but belongs to another app than when it was pasted, the one that is named.
 */
type Reauthorized =
  | { outcome: 'connected' | 'nothing waits' | 'of another app'; clientId: string }
  | { outcome: 'not proven'; clientId: string }
  | { outcome: 'another account'; clientId: string; email: string };

/** What keeps the consent for a pasted token from being of use; else the token that it is for. */
async function hindrance(
  context: Context,
  request: AuthorizationRequest,
  proof: { account: ModernAccount; consented: Consented },
): Promise<Reauthorized | { pasted: string }> {
  const proven = await proveObserved(context, request, proof);
  if (!proven) return { outcome: 'not proven', clientId: request.client_id ?? '' };
  const { clientId, state } = proven;
  if (clientId === request.client_id) return { pasted: proven.mappingId };
  // What has ended is told with the app that it ended at.
  if (!statesOf('granted').includes(state)) return { outcome: 'nothing waits', clientId };
  return { outcome: state === 'active' ? 'connected' : 'of another app', clientId };
}

const idsShape = z.array(z.string());

/** The tokens that the page named before the consent. */
function listedIn({ listed_tokens: listed }: AuthorizationRequest): string[] {
  return idsShape.parse(JSON.parse(listed ?? '[]'));
}

/**
 * Ends a re-authorization. A pair that is not kept, such as that of another account, is dropped and left to expire: to
 * revoke it might revoke the whole consent of that account for this client, and with it grants that serve others
 * (docs/decisions/0019).
 * @throws {Unauthorized | Forbidden | Unavailable} nothing was stored
 */
export async function reauthorize(
  context: Context,
  request: AuthorizationRequest,
  consented: Consented,
): Promise<Reauthorized> {
  const { client_id: clientId, account_id: accountId } = request;
  if (clientId === null || accountId === null)
    throw new Error(`request ${request.id} names no app and account`);
  const account = await readConsentingAccount(context, consented);
  if (account.id !== accountId) return { outcome: 'another account', clientId, email: account.email };
  const listed = listedIn(request);
  if (request.evidence !== null) {
    const pasted = await hindrance(context, request, { account, consented });
    if ('outcome' in pasted) return pasted;
    listed.push(pasted.pasted);
  }
  const origin = { actor: `account:${accountId}`, requestId: request.id };
  const isStored = await storeGrantForTokens(context, { ...consented, clientId, account, origin, listed });
  return { outcome: isStored ? 'connected' : 'nothing waits', clientId };
}
