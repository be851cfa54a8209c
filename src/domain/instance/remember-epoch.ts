import type { Logger } from '../../shared/log/logger.ts';
import type { EpochFile, RememberedInstance } from '../../store/files/epoch-file.ts';
import type { SeenInstance } from '../../store/instance/instance.ts';
import { FOREIGN_FOLDER_REMEDY } from './other-database.ts';
import { isSameDatabase } from './same-database.ts';

/** The facts of a database that a process sees. */
interface PlacedInstance {
  seen: SeenInstance;
  /** The place of the database, as the store names the place. */
  place: string;
}

/** A request of a process: the machine shall remember this database. */
interface EpochRecord extends PlacedInstance {
  /**
   * Whether the machine may forget another database for this database: an operator has asked to, or a bridge serves
   * this database and the other one is gone.
   */
  mayForget: boolean;
  /** Whether an operator has asked to. Otherwise the log tells that another database was forgotten. */
  isMeant: boolean;
}

/** Strangers can read this text at `/ready`. Therefore the text names neither the folder nor the other database. */
const FOREIGN = 'VAR_DIR belongs to another database';

const UNWRITABLE = 'VAR_DIR/epoch.json cannot be written';

/** The machine's memory as this process knows it. Other processes of the machine write to the memory too. */
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

  /** Why an older copy would not be recognized after the next start. */
  findProblem = () => this.#problem;

  /** The highest remembered epoch of a database; 0 without a remembered epoch. */
  epochOf(id: string): number {
    return this.#kept?.id === id ? this.#kept.epoch : 0;
  }

  /** Whether the machine remembers another database. */
  isOfAnother(id: string): boolean {
    // Another process of the machine may have stored this database meanwhile.
    if (this.#isOther(id)) this.#try(() => (this.#kept = this.#file.read()));
    return this.#isOther(id);
  }

  /** Whether the machine would have to forget another database to remember this database. */
  wouldForget(record: PlacedInstance): boolean {
    return !this.#knows(this.#named(record)) && this.isAboutAnother(record);
  }

  /** Whether the file is about another database now. Another process may have written the file meanwhile. */
  isAboutAnother(record: PlacedInstance): boolean {
    // A file that cannot be read counts as it was read last.
    this.#try(() => (this.#kept = this.#file.read()));
    return this.#isElsewhere(this.#named(record));
  }

  /** The machine goes on remembering the other database, whose next start would otherwise count as an older copy. */
  leaveTo(owner: string): void {
    const detail = 'this database is not remembered here, and its next start with this VAR_DIR is refused';
    if (this.#problem !== FOREIGN)
      this.#logger.error(FOREIGN, { owner, detail, remedy: FOREIGN_FOLDER_REMEDY });
    this.#problem = FOREIGN;
  }

  /**
   * A higher epoch from another process stays. Another database, also a copy with the same id, is forgotten only where
   * `mayForget` is set: a command may point at a copy, whose epoch would make the original count as older. A file that
   * cannot be written stops nothing: the work with the database goes on.
   */
  keep({ mayForget, isMeant, ...record }: EpochRecord): void {
    const present = this.#named(record);
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

  #named({ seen, place }: PlacedInstance): RememberedInstance {
    return { ...seen, database: this.#file.nameOf(place) };
  }

  #isOther(id: string): boolean {
    return this.#kept !== undefined && this.#kept.id !== id;
  }

  /** Whether the machine remembers another database, or the same id at another or an unknown place. */
  #isElsewhere({ id, database }: RememberedInstance): boolean {
    return this.#isOther(id) || (this.#kept !== undefined && !isSameDatabase(this.#kept.database, database));
  }

  #knows(present: RememberedInstance): boolean {
    return !this.#isElsewhere(present) && (this.#kept?.epoch ?? -1) >= present.epoch;
  }

  #tellForgotten(present: RememberedInstance): void {
    // A file from an older version names no place. After the place is added, the file still remembers the same
    // database.
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
      if (this.#problem !== UNWRITABLE) this.#logger.error(UNWRITABLE, { error });
      this.#problem = UNWRITABLE;
      return false;
    }
  }
}
