/** Connections of one process: all, those without work, and work that waits for one. */
export interface ConnectionCounts {
  open: number;
  idle: number;
  waiting: number;
}

/** Is told how long work waited for a connection or for the lock of a writer, in milliseconds. */
export type WaitListener = (milliseconds: number) => void;

/** Counts the connections that are in use, and times the waits for them. */
export class ConnectionUse {
  readonly #onWait: WaitListener;
  #taken = 0;
  #waiting = 0;

  constructor(onWait: WaitListener) {
    this.#onWait = onWait;
  }

  /** Times the taking of a connection. */
  async take<T>(acquire: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    this.#waiting += 1;
    try {
      const connection = await acquire();
      this.#taken += 1;
      return connection;
    } finally {
      this.#waiting -= 1;
      this.#onWait(performance.now() - startedAt);
    }
  }

  giveBack(): void {
    this.#taken -= 1;
  }

  /** Work waited for the lock of a writer. */
  noteLock(milliseconds: number): void {
    this.#onWait(milliseconds);
  }

  counts(open: number): ConnectionCounts {
    return { open, idle: open - this.#taken, waiting: this.#waiting };
  }
}
