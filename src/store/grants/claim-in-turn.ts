import { type ClaimDecision, claimPresenting } from './presentations.ts';
import { isSerializationFailure } from '../driver/storage-fault.ts';
import type { Database, Store } from '../driver/store.ts';
import type { GrantVersion } from '../tables/tables.ts';
import { type BreakerChange, type BreakerView, holdTurn, readBreaker, takeTurn } from './refresh-breaker.ts';

/** The breaker does not allow the claim any more: nothing remains of it, and others go on as if it had never been tried. */
export class TurnGone extends Error {
  override readonly name = 'TurnGone';
}

interface ClaimInTurn extends ClaimDecision {
  /** What the claim changes for all, by what the breaker says now; undefined where it may not be made. */
  decide: (view: BreakerView) => BreakerChange | undefined;
}

async function claimWhileHeld(
  tx: Database,
  grant: GrantVersion,
  { decide, ...decision }: ClaimInTurn,
): Promise<boolean> {
  await holdTurn(tx);
  const view = await readBreaker(tx, decision.now);
  const change = decide(view);
  if (change === undefined) throw new TurnGone();
  if (!(await claimPresenting(tx, grant, decision))) return false;
  if (Object.keys(change).length > 0) await takeTurn(tx, view.turn, change);
  return true;
}

/**
 * Claims the right to present a version if the breaker allows it; false where another holder was faster. Such claims,
 * whatever grants they are about, are decided one after the other, each with those before it in view: so of any number
 * no more are made than allowed.
 * @throws {TurnGone}
 */
export async function claimInTurn(
  store: Pick<Store, 'transaction'>,
  grant: GrantVersion,
  claim: ClaimInTurn,
): Promise<boolean> {
  try {
    return await store.transaction((tx) => claimWhileHeld(tx, grant, claim));
  } catch (error) {
    // A transaction that others were in the way of, again and again, has left nothing either.
    throw isSerializationFailure(error) ? new TurnGone() : error;
  }
}
