import { LOST_AT_MOST, type OpenTurn } from './stop/breaker-rules.ts';

/** The right of one presentation to go on, with the turn that gives the right. */
export interface RefreshSlot {
  turn: OpenTurn;
  /** Gives the place back when the database counts the claim, or when no claim will be made. */
  leave(): void;
}

/** The places of one context. A place counts a presentation until the database has its claim. */
export interface RefreshSlots {
  /** Undefined when only a few presentations may go on and all places are taken. */
  take(turn: OpenTurn): RefreshSlot | undefined;
}

/** Creates the places. All places are free. */
export function createRefreshLimit(): RefreshSlots {
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
