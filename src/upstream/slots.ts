import pLimit from 'p-limit';

/**
 * How many exchanges of one process with the authorization server may run at once: a thousand grants that end in the
 * same second must not become a thousand connections. Taken before anything is claimed, so that waiting costs nothing.
 */
const AT_ONCE = 16;

const limit = pLimit(AT_ONCE);

/** Waits for a free slot; the answer gives it back, once. */
export function takeSlot(): Promise<() => void> {
  return new Promise((resolve) => {
    void limit(() => new Promise<void>((giveBack) => resolve(giveBack)));
  });
}
