/** Makes rows of their values. The binding would look up each name again for each row. */
export function rowMaker(names: readonly string[]): (values: readonly unknown[]) => unknown {
  const empty: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, null]));
  return (values) => {
    const row = { ...empty };
    for (let index = 0; index < names.length; index += 1) row[names[index] as string] = values[index];
    return row;
  };
}
