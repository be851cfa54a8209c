/** Failures of the database, recognised by a mark and by their code, never by class, because realms may differ. */

const MARK = Symbol.for('grantbridge.storage-fault');

function codeOf(error: unknown): string {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** The same error, marked as a database failure. */
export function asStorageFault(error: unknown): Error {
  return Object.assign(error instanceof Error ? error : new Error(String(error)), { [MARK]: true });
}

/** Whether an error is a database failure: busy, full, read-only, damaged or away. */
export function isStorageFault(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return MARK in error || codeOf(error).startsWith('SQLITE_');
}

/** A rule of the schema was broken (SQLSTATE class 23). A second try would break the rule again. */
export function isConstraintFailure(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('SQLITE_CONSTRAINT') || /^23...$/.test(code);
}

/** Two transactions conflicted (SQLSTATE 40001, 40P01). This transaction has left no changes. */
export function isSerializationFailure(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}
