import { MINUTE } from '../../shared/lifetimes.ts';
import { tellLater } from '../../shared/log/held-counts.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { kindOf } from '../../shared/log/refusal-log.ts';
import { isStorageFault } from '../../store/driver/storage-fault.ts';

/**
 * Logs failures of background work. During an outage such work fails again and again. The first failure is written in
 * full. Later failures are counted and reported in one line for each minute with a failure, and at a stop. A last line says that the
 * work succeeds again. At level `debug` every failure is written.
 */
export interface TroubleLog {
  /** A piece of work failed. */
  note(work: string, error: unknown): void;
  /** A piece of work was done. */
  done(work: string): void;
}

interface TroubleLogOptions {
  logger: Logger;
  level: 'warn' | 'error';
  message: string;
  /** The message for a minute without a failure in which failed work was done. */
  again: string;
  /** The length of a minute, in milliseconds. */
  minute?: number;
}

/**
 * This many pieces of work are counted apart, the others together. The number has to be limited, because the name of a
 * lease may contain the id of a grant.
 */
const ROOM = 20;

const OTHERS = 'others';

/** One outage. */
interface Trouble {
  kind: string | undefined;
  /** The names of the work that failed. */
  works: Set<string>;
  failures: number;
  /** How often each piece of work failed since the last line. */
  unwritten: Map<string, number>;
  /** Whether failed work was done since the last failure. */
  isEasing: boolean;
}

function nameOf(work: string, troubles: Iterable<Trouble>): string {
  const known = [...troubles].flatMap(({ works }) => [...works]);
  return known.length < ROOM || known.includes(work) ? work : OTHERS;
}

/** Creates a log for one kind of work; each process has its own. */
export function createTroubleLog(options: TroubleLogOptions): TroubleLog {
  const { logger, level, message, again, minute = MINUTE } = options;
  const troubles = new Map<string, Trouble>();

  function tell(key: string, trouble: Trouble): void {
    const { kind, unwritten, works, failures, isEasing } = trouble;
    if (unwritten.size > 0) {
      logger.log(level, message, { kind, unwritten: Object.fromEntries(unwritten) });
      unwritten.clear();
    } else if (isEasing) {
      troubles.delete(key);
      logger.warn(again, { kind, works: [...works], failures });
      return;
    }
    tellLater(logger, minute, () => tell(key, trouble));
  }

  function begin(key: string, kind: string | undefined): Trouble {
    const trouble = { kind, works: new Set<string>(), failures: 0, unwritten: new Map(), isEasing: false };
    troubles.set(key, trouble);
    tellLater(logger, minute, () => tell(key, trouble));
    return trouble;
  }

  return {
    note(given, error) {
      const work = nameOf(given, troubles.values());
      // While the database is away, all work fails for this one reason.
      const kind = isStorageFault(error) ? 'database' : kindOf(error);
      const key = kind === 'database' ? kind : JSON.stringify([work, kind]);
      const known = troubles.get(key);
      const trouble = known ?? begin(key, kind);
      trouble.works.add(work);
      trouble.failures += 1;
      trouble.isEasing = false;
      const isWritten = !known || logger.isLevelEnabled('debug');
      if (isWritten) logger.log(level, message, { work: given, error });
      else trouble.unwritten.set(work, (trouble.unwritten.get(work) ?? 0) + 1);
    },
    done(work) {
      for (const trouble of troubles.values()) {
        if (trouble.works.has(work) || trouble.works.has(OTHERS)) trouble.isEasing = true;
      }
    },
  };
}
