/** Connections of one process: all, those without work, and work that waits for one. */
export interface ConnectionCounts {
  open: number;
  idle: number;
  waiting: number;
}

/** Is told how the database keeps up; all times in milliseconds. */
export interface DatabaseListener {
  /** Work waited for a connection, or for the lock of a writer. */
  waited(milliseconds: number): void;
  /** The database ran a statement. */
  ran(milliseconds: number): void;
}

/** Hears nothing. */
export const NOBODY_LISTENS: DatabaseListener = { waited: () => undefined, ran: () => undefined };

/** Counts the connections that are in use, and times the waits for them. */
export class ConnectionUse {
  readonly #listener: DatabaseListener;
  #taken = 0;
  #waiting = 0;

  constructor(listener: DatabaseListener) {
    this.#listener = listener;
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
      this.#listener.waited(performance.now() - startedAt);
    }
  }

  /**
   * Times a statement. A try that the database turned away before it ran anything is no statement: it ends at once, and
   * many of them would make a locked database look fast.
   */
  async run<T>(
    execute: () => Promise<T>,
    wasTurnedAway: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    const startedAt = performance.now();
    const note = () => this.#listener.ran(performance.now() - startedAt);
    try {
      const result = await execute();
      note();
      return result;
    } catch (error) {
      if (!wasTurnedAway(error)) note();
      throw error;
    }
  }

  /** Writes ran together, beside the work that takes connections. */
  noteTogether(milliseconds: number): void {
    this.#listener.waited(0);
    this.#listener.ran(milliseconds);
  }

  giveBack(): void {
    this.#taken -= 1;
  }

  /** Work waited for the lock of a writer. */
  noteLock(milliseconds: number): void {
    this.#listener.waited(milliseconds);
  }

  counts(open: number): ConnectionCounts {
    return { open, idle: open - this.#taken, waiting: this.#waiting };
  }
}
