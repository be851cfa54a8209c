import type { Clock } from '../../../shared/clock.ts';
import { MINUTE } from '../../../shared/lifetimes.ts';
import { countLiveGrantsInPieces, countLiveUpTo } from '../../../store/grants/deaths.ts';
import type { Store } from '../../../store/driver/store.ts';

/**
 * How many grants are alive, for rules that depend on the size of the fleet. A small fleet is counted at each call. A
 * large fleet changes little within a minute, so each process counts it at most once a minute.
 */
export interface FleetSize {
  count(): Promise<number>;
}

/** Fleets with fewer grants are counted at each call. */
const FEW = 1000;

const KEPT = 1 * MINUTE;

interface FleetCount {
  at: number;
  live: Promise<number>;
}

/** The fleet's size as one process knows it. */
export function createFleetSize({ store, clock }: { store: Store; clock: Clock }): FleetSize {
  let counted: FleetCount | undefined;
  const isFresh = ({ at }: FleetCount) => clock.elapsed() - at < KEPT;
  const start = () => {
    const mine: FleetCount = { at: clock.elapsed(), live: countLiveGrantsInPieces(store.durable) };
    // After a failure the next caller counts again.
    mine.live.catch(() => {
      if (counted === mine) counted = undefined;
    });
    return mine;
  };
  return {
    async count() {
      const few = await countLiveUpTo(store.durable, FEW);
      if (few < FEW) return few;
      if (counted === undefined || !isFresh(counted)) counted = start();
      return counted.live;
    },
  };
}
