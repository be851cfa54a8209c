import { assignToApp } from '../../store/tokens/assign.ts';
import { readMapping } from '../../store/tokens/find-mappings.ts';
import { findLiveGrant } from '../../store/grants/grants.ts';
import { isIdentifiedApp, isUnidentified } from '../../store/tokens/observed.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant, Mapping, MappingState } from '../../store/tables/tables.ts';
import { attachTokens } from './attach-tokens.ts';
import type { TokensDeps } from './deps.ts';
import { afterDeauthorization, type ReasonedOrigin } from './deauthorize.ts';
import { nextState, statesOf } from '../grants/mapping-state.ts';
import { recordEvents } from '../history/record-event.ts';
import { TakeBackRefused } from '../history/record-deed.ts';
import { isAssignmentLeft } from './left-to-staff.ts';
import { beginTokenDeed } from './token-deed.ts';
import { endLeft } from './revoke-token.ts';
import { checkedReason } from '../history/reason.ts';
import { withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/** Support assigns an observed token to its app, and may correct an earlier assignment. */

interface AssignmentRequest extends ReasonedOrigin {
  mappingId: string;
  clientId: string;
  /** The app and the grant that the token has to have still; unset for any. */
  from?: string | undefined;
  fromGrant?: string | null | undefined;
}

/**
 * The outcome of an assignment. `identified`: the token already has a proven app, which support cannot change. `alone`:
 * the token was the last on its former grant, which has ended. `deed` names what can be taken back. `left to staff`: a key
 * asked, and a key imported the token.
 */
type AssignmentResult =
  | { outcome: 'unknown token' | 'unknown app' | 'left to staff' }
  | { outcome: 'identified'; app: string }
  | { outcome: 'final'; state: MappingState }
  | { outcome: 'assigned'; state: MappingState; alone: boolean; deed: string | undefined };

/** The outcome, and the former grant where that grant ended with its last token. */
interface Assignment {
  answer: AssignmentResult;
  grant?: Grant | undefined;
}

interface Move {
  mapping: Mapping;
  asked: AssignmentRequest;
}

/**
 * State and grant of a token at its app. The token gets the live grant of the app and account, or no grant. A grant of
 * an unidentified program serves no token that the account holder did not choose. A token that stays with its app keeps
 * its state and grant, and one that had stopped before keeps the reason.
 */
async function placeAt(tx: Database, { mapping, asked }: Move) {
  const { state, account_id: accountId } = mapping;
  const { clientId, reason } = asked;
  if (clientId === mapping.client_id) return { state, reason: mapping.reason, grantId: mapping.grant_id };
  const isServed = accountId !== null && (await isIdentifiedApp(tx, clientId));
  const grant = isServed ? await findLiveGrant(tx, clientId, accountId) : undefined;
  if (grant) return { state: nextState(state, 'granted'), reason: null, grantId: grant.id };
  const next = nextState(state, 'assigned');
  const why = state === next ? mapping.reason : reason;
  return { state: next, reason: next === 'reauthorization_required' ? why : null, grantId: null };
}

async function move(context: TokensDeps, tx: Database, moving: Move): Promise<Assignment> {
  const { mapping, asked } = moving;
  const now = context.clock.now();
  const place = await placeAt(tx, moving);
  const begun = await beginTokenDeed(tx, asked.mappingId);
  const { clientId, mappingId, reason, actor, requestId } = asked;
  if (!(await assignToApp(tx, mapping, { clientId, ...place, now })))
    throw new Error(`mapping ${mappingId} was changed in its own transaction`);
  const { state, grantId } = place;
  const by = { at: now, actor, requestId, clientId, accountId: mapping.account_id, mappingId, grantId };
  const connected = { ...by, action: 'token_connected', reason: 'a grant serves the pair' };
  const [entry = ''] = await recordEvents(context, tx, [
    { ...by, action: 'token_assigned', reason },
    ...(state === 'active' && mapping.state !== 'active' ? [connected] : []),
  ]);
  const accountId = mapping.account_id;
  // The app may have taken the grant over before. Then this token becomes `migrated`, as the other tokens of the app
  // and account did.
  if (accountId !== null) await attachTokens(context, tx, { clientId, accountId, actor, requestId });
  const left = await endLeft(context, tx, { mapping, ending: { actor, requestId, reason } });
  const alone = left !== undefined;
  const deed = await begun.record({ kind: 'assign', at: now, actor, entry, hasEndedGrant: alone });
  const after = (await readMapping(tx, mappingId)) ?? place;
  return {
    answer: { outcome: 'assigned', state: after.state, alone, deed },
    grant: left?.grant,
  };
}

/**
 * Whether support may assign a token: the token is observed, or its app is an unidentified program. An import or a
 * consent that has proven the app since does not change this.
 */
export function isAssignable({ source }: Pick<Mapping, 'source'>, app: { source: string }): boolean {
  return source === 'observed' || app.source === 'observed';
}

async function isOpen(tx: Database, mapping: Mapping): Promise<boolean> {
  const isProgram = await isUnidentified(tx, mapping.client_id);
  return isAssignable(mapping, { source: isProgram ? 'observed' : 'other' });
}

/**
 * Whether the token may go to this app. An identified app is possible. An unidentified program is possible for an
 * observed token, to take an assignment back.
 */
async function isPossible(tx: Database, { source }: Mapping, clientId: string): Promise<boolean> {
  if (await isIdentifiedApp(tx, clientId)) return true;
  return source === 'observed' && (await isUnidentified(tx, clientId));
}

/** @throws {TakeBackRefused} */
function requireSeen({ client_id: clientId, grant_id: grantId }: Mapping, asked: AssignmentRequest): void {
  const { from = clientId, fromGrant = grantId } = asked;
  if (from !== clientId) throw new TakeBackRefused('The token was assigned otherwise meanwhile.');
  if (fromGrant !== grantId) throw new TakeBackRefused('The token was connected otherwise meanwhile.');
}

async function decide(context: TokensDeps, tx: Database, asked: AssignmentRequest): Promise<Assignment> {
  const mapping = await readMapping(tx, asked.mappingId);
  if (!mapping) return { answer: { outcome: 'unknown token' } };
  const { client_id: from, state } = mapping;
  requireSeen(mapping, asked);
  const isSettled = asked.clientId === from && (mapping.source !== 'observed' || mapping.app_proven === 1);
  if (isSettled || !(await isOpen(tx, mapping))) return { answer: { outcome: 'identified', app: from } };
  if (!statesOf('assigned').includes(state)) return { answer: { outcome: 'final', state } };
  if (!(await isPossible(tx, mapping, asked.clientId))) return { answer: { outcome: 'unknown app' } };
  const to = { mappingId: mapping.id, clientId: asked.clientId, accountId: mapping.account_id };
  if (await isAssignmentLeft(tx, asked.actor, to)) return { answer: { outcome: 'left to staff' } };
  return move(context, tx, { mapping, asked });
}

/**
 * Support assigns an observed token to its app, in any state that is not final. The token leaves its grant: the new
 * app's grant serves the token, or else the account holder has to connect the token again. An assignment to the app
 * that the token already has confirms that app.
 * @throws {ReasonRefused}
 * @throws {TakeBackRefused} the token is not at the app `from` any more, or not on the grant `fromGrant`
 */
export async function assignByHand(context: TokensDeps, asked: AssignmentRequest): Promise<AssignmentResult> {
  const checked = { ...asked, reason: checkedReason(asked.reason) };
  const inOneStep = (tx: Database) => decide(context, tx, checked);
  const { answer, grant } = await withUsableKeys(context, () => context.store.transaction(inOneStep));
  await afterDeauthorization(context, grant);
  return answer;
}
