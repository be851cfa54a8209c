/** The finding of one check on the bridge. A check that did not look says so, and never counts as proven. */

export type CheckState = 'ok' | 'warning' | 'failed' | 'not looked at';

export interface CheckVerdict {
  state: CheckState;
  /** What the check did and saw, or why the check did not look. */
  detail: string;
}

export interface CheckFinding extends CheckVerdict {
  check: string;
}

export const ok = (detail: string): CheckVerdict => ({ state: 'ok', detail });

/** The subject works now, but somebody has to act before it stops working. */
export const warning = (detail: string): CheckVerdict => ({ state: 'warning', detail });

export const notLookedAt = (reason: string): CheckVerdict => ({ state: 'not looked at', detail: reason });
