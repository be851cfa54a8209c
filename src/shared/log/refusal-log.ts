import { networkKey } from '../net/addresses.ts';
import { MINUTE } from '../lifetimes.ts';
import type { Logger } from './logger.ts';

/**
 * Log lines that anybody can cause: nobody may fill the log with them. Of each network the first ones of a minute are
 * written; the others are counted, and told in one line when the minute is over. At level `debug` all are written.
 */

interface Refusal {
  level: 'info' | 'warn' | 'error';
  message: string;
  /** Where the request came from. */
  address: string;
  /** What tells this refusal from others of the same message; the rest of the line may differ. */
  kind?: string | undefined;
  fields: object;
}

interface RefusalLogOptions {
  logger: Logger;
  /** How many lines of one network are written in a minute before the others are counted. */
  lines?: number;
  /** How long a minute is. */
  minute?: number;
}

export type NoteRefusal = (refusal: Refusal) => void;

/** How many networks and messages are told apart in a minute; the others count together. */
const ROOM = 200;

interface RefusalCount extends Pick<Refusal, 'level' | 'message'> {
  network: string;
  kind: string | undefined;
  times: number;
}

/** Writes such lines; one for each process. */
export function createRefusalLog({ logger, lines = 1, minute = MINUTE }: RefusalLogOptions): NoteRefusal {
  let counted = new Map<string, RefusalCount>();

  function tell(): void {
    const ended = counted;
    counted = new Map();
    for (const { level, message, network, kind, times } of ended.values())
      if (times > lines) logger.log(level, message, { network, kind, unwritten: times - lines });
  }

  function entryOf({ level, message, address, kind }: Refusal): RefusalCount {
    const own = networkKey(address);
    const keyOf = (network: string) => JSON.stringify([level, message, kind, network]);
    const network = counted.size < ROOM || counted.has(keyOf(own)) ? own : 'others';
    const key = network === own ? keyOf(own) : JSON.stringify([level, message, network]);
    const known = counted.get(key) ?? { level, message, network, kind, times: 0 };
    if (counted.size === 0) setTimeout(tell, minute).unref();
    counted.set(key, known);
    return known;
  }

  return (refusal) => {
    const entry = entryOf(refusal);
    entry.times += 1;
    if (entry.times <= lines || logger.isLevelEnabled('debug'))
      logger.log(refusal.level, refusal.message, refusal.fields);
  };
}

/** What tells one failure from another, without what it may carry of a request. */
export function kindOf(error: unknown): string | undefined {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  const words = [name, code].filter((word) => typeof word === 'string').join(' ');
  return words === '' ? undefined : words.slice(0, 80);
}
