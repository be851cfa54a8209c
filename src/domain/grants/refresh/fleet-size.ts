import type { Clock } from '../../../shared/clock.ts';
import { MINUTE } from '../../../shared/lifetimes.ts';
import { countLive, countLiveUpTo } from '../../../store/grants/deaths.ts';
import type { Store } from '../../../store/driver/store.ts';

/**
 * How many grants are alive, for rules that weigh something against the size of the fleet. A small fleet is counted each
 * time. A large one changes little within a minute: each process counts it once a minute at most, whoever asks.
 */
export interface FleetSize {
  count(): Promise<number>;
}

/** Grants that are counted each time. */
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
    const mine: FleetCount = { at: clock.elapsed(), live: countLive(store.durable) };
    // What failed is counted again by whoever asks next.
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
