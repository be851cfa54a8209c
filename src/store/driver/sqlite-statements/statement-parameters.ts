/** How a statement with `$1`, `$2` … gets its parameters. */
export interface BoundSql {
  /** The statement as SQLite gets it. */
  text: string;
  /** The parameters as the binding wants them. */
  given: (parameters: readonly unknown[]) => readonly unknown[];
}

/** SQLite calls `$1` by the name `1`. */
function byName(parameters: readonly unknown[]): unknown[] {
  const named: Record<string, unknown> = {};
  for (const [index, value] of parameters.entries()) named[index + 1] = value;
  return [named];
}

/**
 * Where each parameter stands once and in its order, the binding gets them by place: it looks for names longer than the
 * look-up of a token takes.
 */
export function bindParameters(sql: string): BoundSql {
  const numbers = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const isInOrder = numbers.every((number, index) => number === index + 1);
  if (!isInOrder) return { text: sql, given: byName };
  return { text: sql.replaceAll(/\$\d+/g, '?'), given: (parameters) => parameters };
}
