import { assignToApp } from '../store/assign.ts';
import { readMapping } from '../store/find-mappings.ts';
import { findLiveGrant } from '../store/grants.ts';
import { isIdentifiedApp, isUnidentified } from '../store/observed.ts';
import type { Database } from '../store/store.ts';
import type { Grant, Mapping, MappingState } from '../store/tables.ts';
import { adoptTokens } from './adopt-tokens.ts';
import type { Context } from './context.ts';
import { afterDeauthorization, type Ending } from './deauthorize.ts';
import { type MappingEvent, nextState, statesOf } from './mapping-state.ts';
import { recordEvents } from './record-event.ts';
import { checkedReason, endLeft } from './revoke-token.ts';
import { withUsableKeys } from './under-all-keys.ts';

/** A token of an unidentified program gets its app: a call named it, or support knows it (design 5, observed tokens). */

interface Asked extends Ending {
  mappingId: string;
  clientId: string;
}

/** What became of it; `identified` says which app it has already, `alone` that nothing else stood on the grant it left. */
type Assigned =
  | { outcome: 'unknown token' | 'unknown app' }
  | { outcome: 'identified'; app: string }
  | { outcome: 'final'; state: MappingState }
  | { outcome: 'assigned'; state: MappingState; alone: boolean };

/** What was decided, and the grant that ended with the last token that stood on it. */
interface Decided {
  answer: Assigned;
  grant?: Grant | undefined;
}

interface Move {
  mapping: Mapping;
  asked: Asked;
  event: MappingEvent;
}

/**
 * Where a token stands at its app: on the grant that serves the pair, or on none. What a call said of itself is a name and
 * no more: anybody may say it, so the token waits for its holder's next consent.
 */
async function placeAt(tx: Database, { mapping, asked, event }: Move) {
  const { state, account_id: accountId } = mapping;
  const { clientId, reason } = asked;
  const isByHand = event === 'assigned' && accountId !== null;
  const grant = isByHand ? await findLiveGrant(tx, clientId, accountId) : undefined;
  if (grant) return { state: nextState(state, 'granted'), reason: null, grantId: grant.id };
  const next = nextState(state, 'assigned');
  return { state: next, reason: next === 'reauthorization_required' ? reason : null, grantId: null };
}

async function move(context: Context, tx: Database, moving: Move): Promise<Decided> {
  const { mapping, asked, event } = moving;
  const now = context.clock.now();
  const place = await placeAt(tx, moving);
  const { clientId, mappingId, reason, actor, requestId } = asked;
  if (!(await assignToApp(tx, mapping, { clientId, ...place, now })))
    throw new Error(`mapping ${mappingId} was changed in its own transaction`);
  const { state, grantId } = place;
  const by = { at: now, actor, requestId, clientId, accountId: mapping.account_id, mappingId, grantId };
  const connected = { ...by, action: 'token_connected', reason: 'a grant serves the pair' };
  await recordEvents(context, tx, [
    { ...by, action: 'token_assigned', reason },
    ...(state === 'active' && mapping.state !== 'active' ? [connected] : []),
  ]);
  const accountId = mapping.account_id;
  // The app may have taken the grant of the pair over: then the token has moved with the others.
  if (accountId !== null && event === 'assigned')
    await adoptTokens(context, tx, { clientId, accountId, actor, requestId });
  const left = await endLeft(context, tx, { mapping, ending: { actor, requestId, reason } });
  const after = (await readMapping(tx, mappingId)) ?? place;
  return {
    answer: { outcome: 'assigned', state: after.state, alone: left !== undefined },
    grant: left?.grant,
  };
}

async function decide(
  context: Context,
  tx: Database,
  { asked, event }: { asked: Asked; event: MappingEvent },
): Promise<Decided> {
  const mapping = await readMapping(tx, asked.mappingId);
  if (!mapping) return { answer: { outcome: 'unknown token' } };
  const { client_id: from, state } = mapping;
  if (!(await isUnidentified(tx, from))) return { answer: { outcome: 'identified', app: from } };
  if (!statesOf(event).includes(state)) return { answer: { outcome: 'final', state } };
  if (!(await isIdentifiedApp(tx, asked.clientId))) return { answer: { outcome: 'unknown app' } };
  return move(context, tx, { mapping, asked, event });
}

async function assign(context: Context, given: { asked: Asked; event: MappingEvent }): Promise<Assigned> {
  const inOneStep = (tx: Database) => decide(context, tx, given);
  const { answer, grant } = await withUsableKeys(context, () => context.store.transaction(inOneStep));
  await afterDeauthorization(context, grant);
  return answer;
}

/**
 * Gives a token of an unidentified program to its app, by support, whatever state it is in that has not ended. The grant of
 * the program does not come along: the app's own serves it from then on, or else its holder has to connect it once more.
 * @throws {ReasonRefused}
 */
export async function assignByHand(context: Context, asked: Asked): Promise<Assigned> {
  return assign(context, { asked: { ...asked, reason: checkedReason(asked.reason) }, event: 'assigned' });
}

interface Naming {
  clientId: string | undefined;
  requestId: string;
}

/** The call named an app: a token of an unidentified program that still waits belongs to it from now on. */
export async function assignToken(
  context: Context,
  mapping: Mapping,
  { clientId, requestId }: Naming,
): Promise<void> {
  if (mapping.source !== 'observed' || clientId === undefined || clientId === mapping.client_id) return;
  if (!(await isIdentifiedApp(context.store.durable, clientId))) return;
  const asked = {
    mappingId: mapping.id,
    clientId,
    actor: 'bridge',
    requestId,
    reason: 'a call named the app',
  };
  await assign(context, { asked, event: 'app_named' });
}
