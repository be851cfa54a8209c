/** A value that is here already, or that comes later. */
export type Soon<T> = T | Promise<T>;

/**
 * Goes on with a value, at once where the value is here already. A promise costs more than most rules: everything that
 * its call has made outlives the next collection of garbage.
 */
export function andThen<T, Next>(value: Soon<T>, go: (value: T) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(go) : go(value);
}

interface Settlers<T> {
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}

/** Passes the end of work on, and does `last` in either case. `finally` would make two promises more for each call. */
export function settleWith<T>(work: Promise<T>, { resolve, reject }: Settlers<T>, last: () => void): void {
  work.then(
    (value) => {
      last();
      resolve(value);
    },
    (error: unknown) => {
      last();
      reject(error);
    },
  );
}
