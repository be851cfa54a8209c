/**
 * Whether a piece of an import has changed tokens since this process counted last. A count costs as much as there are
 * tokens, so it follows the pieces once a minute (count-imports.ts). A process that dies forgets it: then the count of
 * the hour shows the import.
 */
export interface WantedCount {
  want(): void;
  /** Whether a count is wanted. From now on it is not. */
  take(): boolean;
}

/** Nothing is wanted at first. */
export function createWantedCount(): WantedCount {
  let isWanted = false;
  return {
    want() {
      isWanted = true;
    },
    take() {
      const taken = isWanted;
      isWanted = false;
      return taken;
    },
  };
}
