import { networkKey } from '../net/addresses.ts';
import { MINUTE } from '../lifetimes.ts';
import { tellLater } from './held-counts.ts';
import type { Logger } from './logger.ts';

/**
 * Limits the log lines that any caller can cause, so that no caller can fill the log. For each network the first lines
 * of a minute are written. Further lines are counted, and reported in one line at the end of the minute, or at a
 * stop before. At level `debug` all lines are written.
 */

interface Refusal {
  level: 'info' | 'warn' | 'error';
  message: string;
  /** The network address of the caller. */
  address: string;
  /** Distinguishes refusals with the same message. The rest of the line may differ. */
  kind?: string | undefined;
  /** What all refusals of this kind have in common, for the line that counts them. */
  common?: object | undefined;
  fields: object;
}

interface RefusalLogOptions {
  logger: Logger;
  /** How many lines of one network are written in a minute; further lines are only counted. */
  lines?: number;
  /** The length of a minute, in milliseconds. */
  minute?: number;
}

export type RefusalRecorder = (refusal: Refusal) => void;

/** How many networks and messages are counted separately in a minute. Further networks are counted together. */
const ROOM = 200;

interface RefusalCount extends Pick<Refusal, 'level' | 'message'> {
  network: string;
  kind: string | undefined;
  common: object | undefined;
  times: number;
  /** When the last of them came. */
  lastAt: string;
}

/** Writes lines with this limit; one instance per process. */
export function createRefusalLog({ logger, lines = 1, minute = MINUTE }: RefusalLogOptions): RefusalRecorder {
  let counted = new Map<string, RefusalCount>();

  function tell(): void {
    const ended = counted;
    counted = new Map();
    for (const { level, message, network, kind, common, times, lastAt } of ended.values())
      if (times > lines)
        logger.log(level, message, { network, kind, ...common, unwritten: times - lines, lastAt });
  }

  function entryOf({ level, message, address, kind, common }: Refusal): RefusalCount {
    const own = networkKey(address);
    const keyOf = (network: string) => JSON.stringify([level, message, kind, network]);
    const network = counted.size < ROOM || counted.has(keyOf(own)) ? own : 'others';
    const key = network === own ? keyOf(own) : JSON.stringify([level, message, network]);
    const shared = network === own ? { kind, common } : { kind, common: undefined };
    const known = counted.get(key) ?? { level, message, network, ...shared, times: 0, lastAt: '' };
    if (counted.size === 0) tellLater(logger, minute, tell);
    counted.set(key, known);
    return known;
  }

  return (refusal) => {
    const entry = entryOf(refusal);
    entry.times += 1;
    entry.lastAt = new Date().toISOString();
    if (entry.times <= lines || logger.isLevelEnabled('debug'))
      logger.log(refusal.level, refusal.message, refusal.fields);
  };
}

/** The kind of a failure, without data of the request that the failure may carry. */
export function kindOf(error: unknown): string | undefined {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  const words = [name, code].filter((word) => typeof word === 'string').join(' ');
  return words === '' ? undefined : words.slice(0, 80);
}
