/** Whether an error is the database's: busy, full, read-only or damaged. By its code, for realms may differ. */
export function isStorageFault(error: unknown): boolean {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('SQLITE_');
}
