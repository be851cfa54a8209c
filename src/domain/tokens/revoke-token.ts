import { hasLiveCode, hasTokenIn, readMapping } from '../../store/tokens/find-mappings.ts';
import { moveMapping, type AppAccount } from '../../store/tokens/mappings.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant, Mapping, MappingState } from '../../store/tables/tables.ts';
import type { Origin } from '../origin.ts';
import type { TokensDeps } from './deps.ts';
import {
  afterDeauthorization,
  type Deauthorization,
  deauthorizeIn,
  type ReasonedOrigin,
} from './deauthorize.ts';
import { tellEnded } from './tell-ended.ts';
import { moveOf, statesOf } from '../grants/mapping-state.ts';
import { checkedReason } from '../history/reason.ts';
import { recordEvent } from '../history/record-event.ts';
import { beginTokenDeed } from './token-deed.ts';
import { withUsableKeys } from '../keys/retry-after-key-rotation.ts';

interface Revocation extends Origin {
  mappingId: string;
  /** In words. The account holder may read the reason. */
  reason: string;
}

/**
 * The outcome of a revocation. `hadGrant`: a grant served the token. `alone`: the token was the last on its grant, and
 * the grant has ended too.
 */
type RevocationResult =
  | { outcome: 'unknown' }
  | { outcome: 'final'; state: MappingState }
  | { outcome: 'revoked'; alone: boolean; hadGrant: boolean };

/** The outcome, the app of the token that was ended, and the grant where the grant ended with its last token. */
interface RevocationEnd {
  answer: RevocationResult;
  clientId?: string;
  grant?: Grant | undefined;
}

/** Whether an app and account still have a token that has not ended, or a code that still gives a token. */
async function isStoodOn(context: TokensDeps, tx: Database, pair: AppAccount): Promise<boolean> {
  return (
    (await hasTokenIn(tx, pair, statesOf('revoked'))) || (await hasLiveCode(tx, pair, context.clock.now()))
  );
}

/**
 * Ends the grant that a served token leaves behind. When neither a token nor a code of the app and account is left, the
 * app is deauthorized for the account. Runs in the transaction that took the token away, by the rules of
 * `deauthorizeIn`. Undefined where the grant still has a use.
 */
export async function endLeft(
  context: TokensDeps,
  tx: Database,
  { mapping, ending }: { mapping: Mapping; ending: ReasonedOrigin },
): Promise<Deauthorization | undefined> {
  const { client_id: clientId, account_id: accountId, state } = mapping;
  const pair = accountId !== null && state === 'active' ? { clientId, accountId } : undefined;
  if (!pair || (await isStoodOn(context, tx, pair))) return undefined;
  return deauthorizeIn(context, tx, { ...pair, ...ending });
}

async function endOne(
  context: TokensDeps,
  tx: Database,
  asked: Revocation & { isByHand?: true },
): Promise<RevocationEnd> {
  const { mappingId, actor, requestId, reason } = asked;
  const mapping = await readMapping(tx, mappingId);
  if (!mapping) return { answer: { outcome: 'unknown' } };
  const deed = asked.isByHand && (await beginTokenDeed(tx, mappingId));
  const now = context.clock.now();
  if (!(await moveMapping(tx, mappingId, { ...moveOf('revoked'), reason, now })))
    return { answer: { outcome: 'final', state: mapping.state } };
  const { client_id: clientId, account_id: accountId, grant_id: grantId } = mapping;
  const by = { at: now, actor, requestId, clientId, accountId, grantId, mappingId };
  const entry = await recordEvent(context, tx, { ...by, action: 'token_revoked', reason });
  const left = await endLeft(context, tx, { mapping, ending: { actor, requestId, reason } });
  await deed?.record({ kind: 'revoke', at: now, actor, entry, hasEndedGrant: left !== undefined });
  const hadGrant = mapping.state === 'active';
  return {
    answer: { outcome: 'revoked', alone: left !== undefined, hadGrant },
    clientId,
    grant: left?.grant,
  };
}

/** What follows the commit of a revocation. */
async function afterRevocation(
  context: TokensDeps,
  { clientId, grant }: RevocationEnd,
  { mappingId, ...by }: Revocation,
): Promise<void> {
  if (clientId !== undefined) tellEnded(context, { ...by, clientId, mappings: [mappingId] });
  await afterDeauthorization(context, grant);
}

/** Decides in the transaction of a revocation whether the revocation goes on. False leaves everything as it is. */
type RevocationClaim = (tx: Database) => Promise<boolean>;

/**
 * Revokes a token as `revokeToken` does, where the claim holds; undefined where it does not.
 * @throws {ReasonRefused}
 */
export async function revokeClaimed(
  context: TokensDeps,
  asked: Revocation,
  claim: RevocationClaim,
): Promise<RevocationResult | undefined> {
  const checked = { ...asked, reason: checkedReason(asked.reason) };
  const inOneStep = async (tx: Database) => ((await claim(tx)) ? endOne(context, tx, checked) : undefined);
  const end = await withUsableKeys(context, () => context.store.transaction(inOneStep));
  if (end) await afterRevocation(context, end, checked);
  return end?.answer;
}

/**
 * Ends one token for good. Its grant goes on serving the other tokens of the app and account. With the last token, the
 * app is deauthorized for the account in the same step: a grant that serves no token is a risk without a use. A token
 * that has ended before stays as it is.
 * @throws {ReasonRefused}
 */
export async function revokeToken(
  context: TokensDeps,
  asked: Revocation & { isByHand?: true },
): Promise<RevocationResult> {
  const checked = { ...asked, reason: checkedReason(asked.reason) };
  const inOneStep = (tx: Database) => endOne(context, tx, checked);
  const end = await withUsableKeys(context, () => context.store.transaction(inOneStep));
  await afterRevocation(context, end, checked);
  return end.answer;
}

/**
 * Revokes a token as `revokeToken` does, by the word of staff: unless it was the last of its connection, that can be
 * taken back.
 * @throws {ReasonRefused}
 */
export function revokeByHand(context: TokensDeps, asked: Revocation): Promise<RevocationResult> {
  return revokeToken(context, { ...asked, isByHand: true });
}

/** Whether the connection would end with a token, which is lost then: the new API is told so. */
export async function isLastOfConnection(context: TokensDeps, mappingId: string): Promise<boolean> {
  const { durable } = context.store;
  const mapping = await readMapping(durable, mappingId);
  if (mapping?.state !== 'active' || mapping.account_id === null) return false;
  const pair = { clientId: mapping.client_id, accountId: mapping.account_id };
  const others = await hasTokenIn(durable, { ...pair, except: mappingId }, statesOf('revoked'));
  return !others && !(await hasLiveCode(durable, pair, context.clock.now()));
}
