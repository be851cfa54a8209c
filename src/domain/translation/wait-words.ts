/** The time that a caller has to wait. People read this text in an old program. */

/** From the smallest unit to the largest. Each unit serves from `from` seconds on. */
const UNITS = [
  { unit: 'second', seconds: 1, from: 0 },
  { unit: 'minute', seconds: 60, from: 60 },
  { unit: 'hour', seconds: 3600, from: 7200 },
  { unit: 'day', seconds: 86_400, from: 172_800 },
] as const;

const spoken = (unit: (typeof UNITS)[number]['unit'], count: number) =>
  new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(count);

/** `40 seconds`, `2 minutes`, `30 days`. Rounded up: a caller that waits this long is never too early. */
export function waitWords(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  const { unit, seconds: size } = UNITS.findLast(({ from }) => whole >= from) ?? UNITS[0];
  return spoken(unit, Math.ceil(whole / size));
}
