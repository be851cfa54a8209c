import type { Logger } from '../../shared/log/logger.ts';
import type { EpochFile, RememberedInstance } from '../../store/files/epoch-file.ts';
import type { SeenInstance } from '../../store/instance/instance.ts';
import { isSameDatabase } from './same-database.ts';

/** What a process wants the machine to remember. */
interface Sighting {
  seen: SeenInstance;
  /** What the store says of where the database is. */
  place: string;
  /** Whether another database may be forgotten for this one: a bridge serves this one, or took it over. */
  mayForget: boolean;
  /** Whether that is what an operator has asked for; else it is told in the log. */
  isMeant: boolean;
}

/** What this process knows of the machine's memory, which others of the machine write too. */
export class EpochMemory {
  readonly #file: EpochFile;
  readonly #logger: Logger;
  #kept: RememberedInstance | undefined;
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
   * A higher epoch, which another process wrote, stays. Another database, also a copy with the same id, is forgotten only
   * where `mayForget` says so: a command may be pointed at a copy, whose epoch would make the original count as older. A
   * file that cannot be written stops nothing: the database itself goes on.
   */
  keep({ seen, place, mayForget, isMeant }: Sighting): void {
    const present = { ...seen, database: this.#file.nameOf(place) };
    if (this.#knows(present)) return;
    const isKept = this.#try(() => {
      this.#kept = this.#file.read();
      if (this.#knows(present) || (this.#isElsewhere(present) && !mayForget)) return;
      this.#file.write(present);
      if (!isMeant) this.#tellForgotten(present);
      this.#kept = present;
    });
    if (isKept) this.#problem = undefined;
  }

  #isOther(id: string): boolean {
    return this.#kept !== undefined && this.#kept.id !== id;
  }

  /** Whether it remembers another database, or the same id at another or an unknown place. */
  #isElsewhere({ id, database }: RememberedInstance): boolean {
    return this.#isOther(id) || (this.#kept !== undefined && !isSameDatabase(this.#kept.database, database));
  }

  #knows(present: RememberedInstance): boolean {
    return !this.#isElsewhere(present) && (this.#kept?.epoch ?? -1) >= present.epoch;
  }

  #tellForgotten(present: RememberedInstance): void {
    // A file of an older version, which named no place, is only completed.
    if (!this.#kept || (this.#kept.id === present.id && !this.#kept.database)) return;
    if (!this.#isElsewhere(present)) return;
    const remedy = 'if this database is an older copy of that one, stop the bridge at once';
    const ids = { before: this.#kept.id, now: present.id };
    const places = { databaseBefore: this.#kept.database, databaseNow: present.database };
    this.#logger.warn('VAR_DIR/epoch.json remembered another database, and remembers this one now', {
      ...ids,
      ...places,
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
