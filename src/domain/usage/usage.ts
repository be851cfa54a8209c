import { LRUCache } from 'lru-cache';
import { chunksOf } from '../../shared/chunks-of.ts';
import type { Clock } from '../../shared/clock.ts';
import { DAY, SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { dayOf } from '../../shared/moments.ts';
import { redactText } from '../../shared/log/redaction.ts';
import type { Store } from '../../store/driver/store.ts';
import { addUsage, sumUsage, type UsageRow, type UsageSum } from '../../store/usage/usage.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';
import { repeat } from '../../shared/repeat.ts';
import { createWaitingRows, ROWS_KEPT, type WaitingRows } from './waiting-rows.ts';

/**
 * Measures what tokens are used for, where the calls of the tokens are answered. A call causes no write: calls are
 * added up in memory and written in batches. Reminders and the retirement depend on usage; no answer does. While the
 * database is away, usage is kept in memory up to a bound. A killed process loses the usage that it had not written.
 */

/** One answered call with a known token. */
export interface Call {
  mappingId: string;
  /** The path as the bridge serves it. Ids in the path are left out later. */
  endpoint: string;
  carrier: 'header' | 'body' | 'query';
  userAgent: string | undefined;
  /** The status of the answer. */
  status: number;
}

export interface UsageLog {
  /** Counts one call. Never throws, and writes nothing. */
  note(call: Call): void;
  /** Writes the counted calls. Calls that cannot be written are kept for the next time. */
  flush(): Promise<void>;
  /** Writes for the last time and stops measuring. */
  close(): Promise<void>;
}

/** How long a call may be known to its own process alone. Pages of owners promise that. */
const FLUSH_EVERY = 10 * SECOND;

/** A write begins early at this many rows. Where it begins too early, each call of very many tokens has a row of its own. */
const ROWS_URGENT = 30_000;

/** Rows of one statement. SQLite holds up the process while a statement runs. */
const ROWS_PER_STATEMENT = 300;

/** The most user agents, and the most endpoints, of one token on one day in one process. Callers choose both. */
const NAMES_PER_DAY = 20;

/** The most tokens whose names are remembered. Beyond this number the memory starts again. */
const TOKENS_KNOWN = 10_000;

const TEXT_MAX = 80;

/** The most texts whose short form is remembered. */
const TEXTS_KNOWN = 1000;

/** The longest raw text that is read. Callers choose the texts, and a longer text is of no use. */
const RAW_MAX = 512;

const ID_IN_PATH = /(?<=\/|%2F)(?:[0-9a-f]{20,}|\d{2,})(?=[./]|$)/gi;

/** A readable, short text without what looks like a secret. */
function shortened(text: string): string {
  const printable = text.replaceAll(/[^\x20-\x7e]/g, '').trim();
  return redactText(printable).slice(0, TEXT_MAX);
}

/** Remembers the results of `work`: the same texts come again and again. */
function remembering(work: (text: string) => string): (text: string) => string {
  const known = new LRUCache<string, string>({ max: TEXTS_KNOWN, memoMethod: work });
  return (text) => known.memo(text.slice(0, RAW_MAX));
}

/** The name of a program as usage stores it; `none` for a missing name. */
export const agentOf = remembering((text) => shortened(text) || 'none');

/** A path as usage stores it, without the ids in it. */
export const endpointOf = remembering((text) => shortened(text.replaceAll(ID_IN_PATH, ':id')));

function outcomeOf(status: number): string {
  // After the sunset every answer is 410, and owners are told how many calls were refused.
  if (status === 401 || status === 403 || status === 410) return 'refused';
  if (status === 429) return 'limited';
  if (status >= 500) return 'failed';
  return status >= 200 && status < 400 ? 'ok' : 'other';
}

/** Limits the names of a token on one day. Each further name is stored as `other`. */
function createNames() {
  let today = '';
  /** Most tokens have one name on a day, and need no set for it. */
  const known = new Map<string, string | Set<string>>();
  const begin = (key: string, name: string) => {
    if (known.size >= TOKENS_KNOWN) known.clear();
    known.set(key, name);
    return name;
  };
  return (day: string, key: string, name: string): string => {
    if (day !== today) known.clear();
    today = day;
    const first = known.get(key);
    if (first === undefined) return begin(key, name);
    if (first === name) return name;
    const names = typeof first === 'string' ? new Set([first]) : first;
    if (names.size >= NAMES_PER_DAY && !names.has(name)) return 'other';
    names.add(name);
    known.set(key, names);
    return name;
  };
}

/**
 * Writes all waiting rows. A failed write may have arrived or not: its calls are kept, so they may count twice but are
 * never lost.
 */
async function writeAll(store: Store, waiting: WaitingRows): Promise<void> {
  for (const rows of chunksOf(waiting.all(), ROWS_PER_STATEMENT)) {
    const written = rows.map((row) => ({ ...row }));
    await addUsage(store, written);
    waiting.remove(rows, written);
  }
}

interface UsageLogDeps {
  store: Store;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
}

/** Makes the row of one call, with the names that the token may have. */
function createRows(clock: UsageLogDeps['clock']): (call: Call) => UsageRow {
  const agents = createNames();
  const endpoints = createNames();
  const days = new LRUCache<number, string>({ max: 2, memoMethod: (number) => dayOf(number * DAY) });
  return ({ mappingId, endpoint, carrier, userAgent, status }) => {
    const now = clock.now();
    const day = days.memo(Math.floor(now / DAY));
    return {
      mapping_id: mappingId,
      day,
      endpoint: endpoints(day, mappingId, endpointOf(endpoint)),
      carrier,
      user_agent: agents(day, mappingId, agentOf(userAgent ?? '')),
      outcome: outcomeOf(status),
      calls: 1,
      last_at: now,
    };
  };
}

/**
 * Measures usage, and writes it from now on. At most one write runs at a time; a caller that asks during a write waits
 * for this write.
 */
export function createUsageLog({ store, clock, logger }: UsageLogDeps): UsageLog {
  const waiting = createWaitingRows();
  const rowOf = createRows(clock);
  let isDropping = false;
  const writeOnce = async () => {
    await writeAll(store, waiting);
    isDropping = false;
  };
  const failure = { logger, message: 'usage cannot be written' };
  const write = restAfterFailure({ ...failure, firstRest: SECOND }, writeOnce);
  const writing = repeat(write, FLUSH_EVERY);
  return {
    note(call) {
      const isKept = waiting.add(rowOf(call));
      if (!isKept && !isDropping) {
        logger.warn('usage cannot be written, the bridge drops counts until it can write again', {
          rows: ROWS_KEPT,
        });
        isDropping = true;
      }
      if (waiting.size() >= ROWS_URGENT) void writing.run();
    },
    flush: () => writing.run(),
    async close() {
      await writing.stop();
      // This write is the last one, so it is tried even during the rest after a failure.
      await writeOnce().catch((error: unknown) =>
        logger.warn(failure.message, { error, rows: waiting.size() }),
      );
    },
  };
}

/** The known calls of one token. Times are in Unix milliseconds. */
export interface Usage {
  lastSeen: number;
  /** The number of calls within the requested days. */
  calls: number;
  /** How many of these calls were refused. */
  refused: number;
  carriers: string[];
  /** The user agents, the most frequent first. */
  userAgents: string[];
}

function usageIn(sums: readonly UsageSum[]): Usage {
  const recent = sums.filter(({ calls }) => calls > 0);
  return {
    lastSeen: Math.max(...sums.map(({ last_at }) => last_at)),
    calls: recent.reduce((total, { calls }) => total + calls, 0),
    refused: recent.reduce((total, { refused }) => total + refused, 0),
    carriers: [...new Set(recent.map(({ carrier }) => carrier))],
    userAgents: [...new Set(recent.map(({ user_agent }) => user_agent))],
  };
}

/**
 * The usage of each token that was ever seen, by mapping id. Calls, carriers and user agents are those of the last
 * days.
 */
export async function usageOf(
  { store, clock }: Omit<UsageLogDeps, 'logger'>,
  mappingIds: readonly string[],
  { days }: { days: number },
): Promise<Map<string, Usage>> {
  const sums = await sumUsage(store, mappingIds, dayOf(clock.now() - (days - 1) * DAY));
  const ids = new Set(sums.map(({ mapping_id }) => mapping_id));
  const of = (id: string) => usageIn(sums.filter(({ mapping_id }) => mapping_id === id));
  return new Map([...ids].map((id) => [id, of(id)]));
}
