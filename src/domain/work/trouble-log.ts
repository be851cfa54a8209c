import { MINUTE } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { kindOf } from '../../shared/log/refusal-log.ts';
import { isStorageFault } from '../../store/driver/storage-fault.ts';

/**
 * Failures of background work, which is tried again and fails again for as long as an outage lasts. The first one is
 * written whole. Those that follow are counted, and told in one line for each minute that had any. One more line says that
 * all is well again. At level `debug` all are written.
 */
export interface TroubleLog {
  /** A piece of work failed. */
  note(work: string, error: unknown): void;
  /** It was done. */
  done(work: string): void;
}

interface TroubleLogOptions {
  logger: Logger;
  level: 'warn' | 'error';
  message: string;
  /** What is said when a minute passed without a failure, and work that had failed was done in it. */
  again: string;
  /** How long a minute is. */
  minute?: number;
}

/** So many pieces of work are told apart; the others count together: a lease may have the name of a grant. */
const ROOM = 20;

const OTHERS = 'others';

/** One outage. */
interface Trouble {
  kind: string | undefined;
  /** All that failed. */
  works: Set<string>;
  failures: number;
  /** How often what failed since the last line. */
  unwritten: Map<string, number>;
  /** Whether work that had failed was done since the last failure. */
  isEasing: boolean;
}

function nameOf(work: string, troubles: Iterable<Trouble>): string {
  const known = [...troubles].flatMap(({ works }) => [...works]);
  return known.length < ROOM || known.includes(work) ? work : OTHERS;
}

/** A log of one kind of work; one for each process. */
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
    setTimeout(tell, minute, key, trouble).unref();
  }

  function begin(key: string, kind: string | undefined): Trouble {
    const trouble = { kind, works: new Set<string>(), failures: 0, unwritten: new Map(), isEasing: false };
    troubles.set(key, trouble);
    setTimeout(tell, minute, key, trouble).unref();
    return trouble;
  }

  return {
    note(given, error) {
      const work = nameOf(given, troubles.values());
      // While the database is away all work fails for the one reason.
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
