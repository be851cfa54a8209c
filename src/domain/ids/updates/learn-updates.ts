import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { DAY, SECOND } from '../../../shared/lifetimes.ts';
import { keepSeenUpdates, type NewLearnedUpdate } from '../../../store/posts/update-ids.ts';
import { keyIdOf } from '../../../shared/secrets.ts';
import type { PassedAnswer } from '../../../upstream/old-backend.ts';
import type { IdsDeps } from '../deps.ts';
import { jsonIn } from '../../translation/unpack.ts';
import type { ServedMapping } from '../../tokens/resolve-token.ts';
import { restAfterFailure } from '../../work/rest-after-failure.ts';
import { KeyDropped, requireUsableKey } from '../../keys/retry-after-key-rotation.ts';
import { yieldToEventLoop } from '../../work/yield-to-event-loop.ts';
import { textOfUpdate } from './update-matches.ts';
import { updatesIn } from './updates-in-answer.ts';

/**
 * Learns the ids by which the old API tells connected apps of updates, from answers that are passed on. No answer is
 * delayed: answers are read later, one at a time. Beyond the bounds below, answers are left out; the next answer to the
 * same app teaches the same. Rows that were not written are lost when the process is killed.
 */

/** A longer answer is not read. A list of a hundred updates is shorter. */
const LONGEST_ANSWER = 256 * 1024;

/** Unread answers in memory, in bytes. Further answers are left out. */
const MOST_HELD = 4 * 1024 * 1024;

/** Rows are written together, and no more often than this (milliseconds). */
const WRITE_EVERY = 500;

/** Rows in one statement, which blocks the process while it runs (SQLite), and rows that wait to be written. */
const ROWS_PER_STATEMENT = 300;
const MOST_ROWS = 5000;

/** Answers and rows that a process knows to be stored. They are learned again each day, so that rows in use stay. */
const KNOWN = { max: 50_000, ttl: DAY };

/** The calls whose answers show updates. */
const SHOWS_UPDATES = /^\/1\/(?:profiles\/[^/?]+\/)?updates\/[^?]/;

interface AccountAnswer {
  accountId: string;
  answer: PassedAnswer;
}

interface LearningState {
  held: AccountAnswer[];
  heldBytes: number;
  /** Rows that wait to be written, by account and old id. */
  rows: Map<string, NewLearnedUpdate>;
  /** Answers that were read, by account and digest. */
  answers: LRUCache<string, true>;
  /** The row that was written last, by account and old id. */
  written: LRUCache<string, string>;
  /** When rows may be written again, by `clock.elapsed()`. */
  nextWriteAt: number;
  /** Writes some of the rows; pauses after a failure. */
  write: () => Promise<void>;
}

const keyOf = ({ account_id: accountId, old_id: oldId }: NewLearnedUpdate) => `${accountId} ${oldId}`;

const printOf = ({ profile_id: profileId, text_digest: digest, due_at: dueAt }: NewLearnedUpdate) =>
  `${profileId} ${digest} ${dueAt}`;

function rowsOf(context: IdsDeps, { accountId, answer }: AccountAnswer): NewLearnedUpdate[] {
  const now = context.clock.now();
  return updatesIn(jsonIn(answer, LONGEST_ANSWER)).map(({ oldId, profileId, text, dueAt }) => ({
    account_id: accountId,
    old_id: oldId,
    profile_id: profileId,
    text_digest: context.vault.digest(textOfUpdate(accountId, text)),
    due_at: dueAt,
    seen_at: now,
  }));
}

/** Reads one answer, unless an equal answer was read before. */
function read(context: IdsDeps, learning: LearningState, passed: AccountAnswer): void {
  const { answers, rows, written } = learning;
  const digest = createHash('sha256').update(passed.answer.body).digest('base64');
  const key = `${passed.accountId} ${digest}`;
  if (answers.has(key) || rows.size >= MOST_ROWS) return;
  for (const row of rowsOf(context, passed))
    if (written.get(keyOf(row)) !== printOf(row)) rows.set(keyOf(row), row);
  answers.set(key, true);
}

async function writeSome({ store }: IdsDeps, { rows, written }: LearningState): Promise<void> {
  const some = [...rows.values()].slice(0, ROWS_PER_STATEMENT);
  // A key that is dropped between the check and the write leaves rows that match nothing, until they are learned again.
  for (const key of new Set(some.map(({ text_digest: digest }) => `${keyIdOf(digest)}.`)))
    await requireUsableKey(store.aside, 'digest', key);
  await keepSeenUpdates(store.aside, some);
  for (const row of some) {
    written.set(keyOf(row), printOf(row));
    if (rows.get(keyOf(row)) === row) rows.delete(keyOf(row));
  }
}

/** Digests under a dropped key are of no use: the next answers are digested again. */
function forgetAll({ rows, answers }: LearningState): void {
  rows.clear();
  answers.clear();
}

const memories = new WeakMap<IdsDeps, LearningState>();

function beginLearning(context: IdsDeps): LearningState {
  const learning: LearningState = {
    held: [],
    heldBytes: 0,
    nextWriteAt: 0,
    rows: new Map(),
    answers: new LRUCache(KNOWN),
    written: new LRUCache(KNOWN),
    write: restAfterFailure(
      { logger: context.logger, message: 'ids of updates cannot be kept', firstRest: SECOND },
      () =>
        writeSome(context, learning).catch((error: unknown) => {
          if (error instanceof KeyDropped) forgetAll(learning);
          throw error;
        }),
    ),
  };
  memories.set(context, learning);
  return learning;
}

const learningOf = (context: IdsDeps) => memories.get(context) ?? beginLearning(context);

async function readAll(context: IdsDeps, learning: LearningState): Promise<void> {
  const { held } = learning;
  for (let passed = held.shift(); passed; passed = held.shift()) {
    learning.heldBytes -= passed.answer.body.length;
    read(context, learning, passed);
    await yieldToEventLoop();
  }
}

async function work(context: IdsDeps, learning: LearningState): Promise<void> {
  const { clock, shutdown } = context;
  const { held, rows } = learning;
  let before: number;
  do {
    const rest = Math.max(0, learning.nextWriteAt - clock.elapsed());
    // The last rows are written when the process stops.
    await delay(rest, undefined, { signal: shutdown.signal }).catch(() => undefined);
    await readAll(context, learning);
    before = rows.size;
    learning.nextWriteAt = clock.elapsed() + WRITE_EVERY;
    if (before > 0) await learning.write();
    // While nothing can be written, the next answer tries again.
  } while (held.length > 0 || (rows.size > 0 && rows.size < before));
}

/** Whether the answer of a call may show updates. */
function isTelling(target: string, { status, body }: PassedAnswer): boolean {
  return status === 200 && body.length > 2 && body.length <= LONGEST_ANSWER && SHOWS_UPDATES.test(target);
}

/**
 * Keeps an answer of the old API to a connected token in memory, to be read later. Reads nothing now and never throws.
 */
export function learnUpdates(
  context: IdsDeps,
  { account_id: accountId }: ServedMapping,
  { target, answer }: { target: string; answer: PassedAnswer },
): void {
  const learning = learningOf(context);
  if (!isTelling(target, answer) || learning.heldBytes + answer.body.length > MOST_HELD) return;
  learning.held.push({ accountId, answer });
  learning.heldBytes += answer.body.length;
  context.flights
    .run('learn the ids of updates', () => work(context, learning))
    .catch((error: unknown) => context.logger.warn('ids of updates could not be learned', { error }));
}
