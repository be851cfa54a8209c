import { hasLiveCode, hasTokenIn, readMapping } from '../../store/tokens/find-mappings.ts';
import { moveMapping, type Pair } from '../../store/tokens/mappings.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant, Mapping, MappingState } from '../../store/tables/tables.ts';
import type { Context, Origin } from '../context.ts';
import { afterDeauthorization, deauthorizeIn, type Ending } from './deauthorize.ts';
import { moveOf, statesOf } from '../grants/mapping-state.ts';
import { checkedReason } from '../history/reason.ts';
import { recordEvent } from '../history/record-event.ts';
import { withUsableKeys } from '../keys/retry-after-key-rotation.ts';

interface Revocation extends Origin {
  mappingId: string;
  /** In words; the owner of the token may read it. */
  reason: string;
}

/** What became of it. `alone` says that nothing else stood on its grant, which has ended too. */
type Revoked =
  | { outcome: 'unknown' }
  | { outcome: 'final'; state: MappingState }
  | { outcome: 'revoked'; alone: boolean };

/** What was decided, and the grant that ended with the last token. */
interface Ended {
  answer: Revoked;
  grant?: Grant | undefined;
}

/** Whether anything of an app and account may still be called: a token that has not ended, or a code that gives one. */
async function isStoodOn(context: Context, tx: Database, pair: Pair): Promise<boolean> {
  return (
    (await hasTokenIn(tx, pair, statesOf('revoked'))) || (await hasLiveCode(tx, pair, context.clock.now()))
  );
}

/**
 * Ends what a token leaves behind that was served and has gone from its app and account: nobody may stand on their grant
 * any more, and then they are deauthorized. In the transaction that took the token away, by the rules of `deauthorizeIn`;
 * undefined where something stands there still.
 */
export async function endLeft(
  context: Context,
  tx: Database,
  { mapping, ending }: { mapping: Mapping; ending: Ending },
): Promise<{ grant: Grant | undefined } | undefined> {
  const { client_id: clientId, account_id: accountId, state } = mapping;
  const pair = accountId !== null && state === 'active' ? { clientId, accountId } : undefined;
  if (!pair || (await isStoodOn(context, tx, pair))) return undefined;
  return { grant: await deauthorizeIn(context, tx, { ...pair, ...ending }) };
}

async function endOne(context: Context, tx: Database, asked: Revocation): Promise<Ended> {
  const { mappingId, actor, requestId, reason } = asked;
  const mapping = await readMapping(tx, mappingId);
  if (!mapping) return { answer: { outcome: 'unknown' } };
  const now = context.clock.now();
  if (!(await moveMapping(tx, mappingId, { ...moveOf('revoked'), reason, now })))
    return { answer: { outcome: 'final', state: mapping.state } };
  const { client_id: clientId, account_id: accountId, grant_id: grantId } = mapping;
  const by = { at: now, actor, requestId, clientId, accountId, grantId, mappingId };
  await recordEvent(context, tx, { ...by, action: 'token_revoked', reason });
  const left = await endLeft(context, tx, { mapping, ending: { actor, requestId, reason } });
  return { answer: { outcome: 'revoked', alone: left !== undefined }, grant: left?.grant };
}

/**
 * Ends one legacy token for good, by its owner or support. Other tokens of its app and account are served on by their
 * grant; when it was the last, the app is deauthorized for the account in the same step, for a grant that serves nobody is
 * a risk without a use. One that had ended before stays as it is.
 * @throws {ReasonRefused}
 */
export async function revokeToken(context: Context, asked: Revocation): Promise<Revoked> {
  const checked = { ...asked, reason: checkedReason(asked.reason) };
  const inOneStep = (tx: Database) => endOne(context, tx, checked);
  const { answer, grant } = await withUsableKeys(context, () => context.store.transaction(inOneStep));
  await afterDeauthorization(context, grant);
  return answer;
}
