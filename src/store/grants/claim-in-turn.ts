import { type ClaimDecision, claimPresenting } from '../presentations.ts';
import type { Store } from '../store.ts';
import type { GrantVersion } from '../tables.ts';
import { type BreakerChange, takeTurn } from './refresh-breaker.ts';

/** Another process took the turn meanwhile: the claim that was made with it is undone. */
class TurnTaken extends Error {
  override readonly name = 'TurnTaken';
}

/** The turn that a claim needs, as it was seen, and what it changes. */
interface NeededTurn {
  seen: number;
  change: BreakerChange;
}

/**
 * Claims the right to present a version together with the next turn, or neither: of any number of claims that were
 * decided on the same turn, whatever grants they are about, one wins.
 */
export async function claimInTurn(
  store: Pick<Store, 'transaction'>,
  grant: GrantVersion,
  { seen, change, ...decision }: ClaimDecision & NeededTurn,
): Promise<boolean> {
  try {
    return await store.transaction(async (tx) => {
      if (!(await claimPresenting(tx, grant, decision))) return false;
      if (!(await takeTurn(tx, seen, change))) throw new TurnTaken();
      return true;
    });
  } catch (error) {
    if (error instanceof TurnTaken) return false;
    throw error;
  }
}
