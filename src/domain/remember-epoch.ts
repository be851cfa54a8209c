import type { Logger } from '../shared/logger.ts';
import type { EpochFile } from '../store/epoch-file.ts';
import type { SeenInstance } from '../store/instance.ts';

/** What this process knows of the machine's memory, which others of the machine write too. */
export class EpochMemory {
  readonly #file: EpochFile;
  readonly #logger: Logger;
  #kept: SeenInstance | undefined;
  #problem: string | undefined;

  /** @throws {Error} in plain words when the file cannot be read */
  constructor(file: EpochFile, logger: Logger) {
    this.#file = file;
    this.#logger = logger;
    this.#kept = file.read();
  }

  /** Why an older copy would not be known for one after the next start. */
  findProblem = () => this.#problem;

  /** The highest epoch of that database; 0 where it knows none. */
  epochOf(id: string): number {
    return this.#kept?.id === id ? this.#kept.epoch : 0;
  }

  /** Whether it remembers another database than that one. */
  isOfAnother(id: string): boolean {
    // Another process of the machine may remember this one by now.
    if (this.#isOther(id)) this.#try(() => (this.#kept = this.#file.read()));
    return this.#isOther(id);
  }

  /**
   * A higher epoch, which another process wrote, stays. Another database is forgotten only where `mayForget` says so.
   * A file that cannot be written stops nothing: the database itself goes on.
   */
  keep(seen: SeenInstance, mayForget: boolean): void {
    if (this.#knows(seen)) return;
    const isKept = this.#try(() => {
      this.#kept = this.#file.read();
      if (this.#knows(seen) || (this.#isOther(seen.id) && !mayForget)) return;
      this.#file.write(seen);
      this.#tellForgotten(seen);
      this.#kept = seen;
    });
    if (isKept) this.#problem = undefined;
  }

  #isOther(id: string): boolean {
    return this.#kept !== undefined && this.#kept.id !== id;
  }

  #knows({ id, epoch }: SeenInstance): boolean {
    return this.#kept?.id === id && this.#kept.epoch >= epoch;
  }

  #tellForgotten({ id }: SeenInstance): void {
    if (!this.#isOther(id)) return;
    const remedy = 'if this database is an older copy of that one, stop the bridge at once';
    const ids = { before: this.#kept?.id, now: id };
    this.#logger.warn('VAR_DIR/epoch.json remembered another database, and remembers this one now', {
      ...ids,
      remedy,
    });
  }

  #try(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      const problem = 'VAR_DIR/epoch.json cannot be written';
      if (this.#problem === undefined) this.#logger.error(problem, { error });
      this.#problem = problem;
      return false;
    }
  }
}
