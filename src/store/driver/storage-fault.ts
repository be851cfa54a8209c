/** Failures of the database, known by a mark and by their code, never by class: realms may differ. */

const MARK = Symbol.for('grantbridge.storage-fault');

function codeOf(error: unknown): string {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** The same error, marked as the database's. */
export function asStorageFault(error: unknown): Error {
  return Object.assign(error instanceof Error ? error : new Error(String(error)), { [MARK]: true });
}

/** Whether an error is the database's: busy, full, read-only, damaged or away. */
export function isStorageFault(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return MARK in error || codeOf(error).startsWith('SQLITE_');
}

/** A rule of the schema was broken (SQLSTATE class 23): trying again would break it again. */
export function isConstraintFailure(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('SQLITE_CONSTRAINT') || /^23...$/.test(code);
}

/** Two transactions were in each other's way (SQLSTATE 40001, 40P01): nothing of this one remains. */
export function isSerializationFailure(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}
