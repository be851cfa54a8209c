import type { AppTokens } from '../../domain/tokens/tokens-of-account.ts';

/**
 * The colour of each state of a token, in every chart, legend and badge. With the colour goes the texture of a bar and the
 * dash of a line (charts.css, bars.ts), so that a state looks the same on every page.
 */
export type StateColour = 'accent' | 'ok' | 'warning' | 'muted';

/** Charts count what has stopped with what waits: both wait for their holder. */
export const STATE_COLOURS: Readonly<Record<keyof AppTokens['counts'], StateColour>> = {
  migrated: 'accent',
  active: 'ok',
  unmapped: 'warning',
  reauthorization_required: 'warning',
  revoked: 'muted',
};
