import { type ClaimDecision, claimPresenting } from './claim-presenting.ts';
import { isSerializationFailure } from '../driver/storage-fault.ts';
import type { Database, Store } from '../driver/store.ts';
import type { GrantVersion } from '../tables/tables.ts';
import { type BreakerChange, type BreakerView, holdTurn, readBreaker, takeTurn } from './refresh-breaker.ts';

/** The breaker no longer allows the claim. The claim leaves no changes, as if it had never been tried. */
export class TurnGone extends Error {
  override readonly name = 'TurnGone';
}

interface ClaimInTurn extends ClaimDecision {
  /**
   * The breaker change that goes with the claim, decided by the present view; undefined when the claim is not allowed.
   */
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
 * Claims the right to present a version if the breaker allows the claim; false when another holder was faster. Claims
 * of all grants are decided one after the other, and each decision sees the earlier claims. So there are never more
 * claims than allowed.
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
    // A transaction that failed by repeated conflicts has left no changes either.
    throw isSerializationFailure(error) ? new TurnGone() : error;
  }
}
