/** The builds that a checker must catch (programs/sabotage.mjs), each wrong in one way; and the one that is right. */
export const SABOTAGES = [
  'none',
  'no-presenting-record',
  'lease-instead-of-version',
  'second-send',
  'unread-refusal-proves',
  'busy-proves',
  'late-pair-dropped',
  'pair-dropped',
  'quiet-time-ignored',
  'siblings-forgotten',
  'silence-proves',
  'spill-removed-first',
  'code-claimed-twice',
] as const;

export type Sabotage = (typeof SABOTAGES)[number];
