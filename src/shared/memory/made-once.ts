/** The value that is kept beside a long-lived object, made at the first use. Nothing is written at a later one. */
export function madeOnce<Holder, Value>(
  kept: { get(holder: Holder): Value | undefined; set(holder: Holder, value: Value): unknown },
  holder: Holder,
  make: () => Value,
): Value {
  const known = kept.get(holder);
  if (known !== undefined) return known;
  const made = make();
  kept.set(holder, made);
  return made;
}
