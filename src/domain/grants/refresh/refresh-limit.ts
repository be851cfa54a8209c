import { LOST_AT_MOST, type OpenTurn } from './breaker-rules.ts';

/** A turn that a presentation goes on with. */
export interface Place {
  turn: OpenTurn;
  /** Gives the place back: the database has the claim and counts it, or there will be none. */
  leave(): void;
}

/** The places of one context, for what goes on with a turn and is not claimed in the database yet. */
export interface Places {
  /** Undefined where only a few may go on, and as many do already. */
  take(turn: OpenTurn): Place | undefined;
}

/** Places of which none is taken. */
export function createRefreshLimit(): Places {
  let unclaimed = 0;
  return {
    take(turn) {
      let counts = turn.kind === 'few' || turn.kind === 'counted' ? 1 : 0;
      if (counts > 0 && unclaimed >= LOST_AT_MOST) return undefined;
      unclaimed += counts;
      const leave = () => {
        unclaimed -= counts;
        counts = 0;
      };
      return { turn, leave };
    },
  };
}
