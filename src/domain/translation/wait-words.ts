/** How long a caller has to wait, for people who read it in an old program. */

const spoken = (unit: 'second' | 'minute', count: number) =>
  new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(count);

/** `40 seconds`, `2 minutes`: rounded up, so that who waits so long does not come too early. */
export function waitWords(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  return whole < 60 ? spoken('second', whole) : spoken('minute', Math.ceil(whole / 60));
}
