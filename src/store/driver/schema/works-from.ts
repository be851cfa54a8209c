/**
 * Whether a version works with a database that a newer version brought to its own schema. Each migration declares it for
 * the versions before it, in a line of its file, and the database keeps what they declared: a version cannot know the
 * migrations that come after it (decision 0034).
 */

/** A migration that ran, as the database tells of it. */
export interface SchemaStep {
  number: number;
  /** The oldest schema whose program works with the database since then; null where nothing was declared. */
  works_from: number | null;
}

const DECLARATION = /^-- Works from schema (\d+)\.$/m;

/** What a migration declares in its file; undefined for those from before there were declarations. */
export function declaredIn(sql: string): number | undefined {
  const declared = DECLARATION.exec(sql)?.[1];
  return declared === undefined ? undefined : Number(declared);
}

/**
 * Whether this version works with a database. `steps` are the migrations that the database tells of, `newest` is the
 * schema of this version. Every newer migration has to have declared it.
 */
export function isUsable(present: number, newest: number, steps: readonly SchemaStep[]): boolean {
  if (present <= newest) return true;
  const newer = steps.filter(({ number }) => number > newest);
  const isTold = newer.some(({ number }) => number === present);
  return isTold && newer.every((step) => step.works_from !== null && step.works_from <= newest);
}

/** @throws {Error} in plain words when a newer version wrote the database and this one does not work with it */
export function requireUsableSchema(present: number, newest: number, steps: readonly SchemaStep[]): void {
  if (isUsable(present, newest, steps)) return;
  throw new Error(
    `the database has schema ${present}, this version knows schemas up to ${newest}: a newer version wrote the database, and this version does not work with it`,
  );
}
