import type { AppTokens } from '../../domain/tokens/tokens-of-account.ts';

/**
 * The colour of each token state, in every chart, legend and badge. Each colour has one bar texture and one line dash
 * (charts.css, bars.ts), so that a state looks the same on every page.
 */
export type StateColour = 'accent' | 'ok' | 'warning' | 'muted';

/** Charts count stopped tokens as waiting tokens: both wait for their holder. */
export const STATE_COLOURS: Readonly<Record<keyof AppTokens['counts'], StateColour>> = {
  migrated: 'accent',
  active: 'ok',
  unmapped: 'warning',
  reauthorization_required: 'warning',
  revoked: 'muted',
};
