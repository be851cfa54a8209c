import { USAGE_KEPT } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import {
  type TokenNumbers,
  countStates,
  listWaitingAccounts,
  countWaitingAddresses,
  deleteProgressBefore,
  keepCountedAt,
  keepRows,
  listAppsAfter,
  newestProgress,
  NOTHING_COUNTED,
  type AppAccountKey,
  type Progress,
} from '../../store/progress/progress.ts';
import { keepProgressOfAll } from '../../store/progress/progress-days.ts';
import type { ProgressDeps } from './deps.ts';
import { restForCalls } from '../work/yield-to-event-loop.ts';

/**
 * Keeps how many tokens of each app are in each state, so pages show the progress without counting. An app has one row
 * for each day on which its numbers changed, with the last numbers of the day.
 */

/** Tokens and apps of one statement. With SQLite, the process does no other work meanwhile. */
const TOKENS_AT_ONCE = 500;
const APPS_AT_ONCE = 50;

type NumbersByApp = Map<string, TokenNumbers>;

const COLUMNS = Object.keys(NOTHING_COUNTED) as Array<keyof TokenNumbers>;

function add(numbers: NumbersByApp, clientId: string, [column, n]: [keyof TokenNumbers, number]): void {
  const known = numbers.get(clientId) ?? { ...NOTHING_COUNTED };
  known[column] += n;
  numbers.set(clientId, known);
}

/** Reads piece after piece, each in a statement of its own, until all pieces are read or the process stops. */
function createWalk({ shutdown }: ProgressDeps) {
  return async <Key>(
    first: Key,
    read: (piece: { after: Key; size: number }) => Promise<Key | undefined>,
  ): Promise<void> => {
    for (let after: Key | undefined = first; after !== undefined; ) {
      after = await read({ after, size: TOKENS_AT_ONCE });
      await restForCalls(shutdown.signal);
    }
  };
}

/**
 * A walk by token ids keeps every piece small, however many tokens an app has. People can be counted only in the order
 * of their accounts or addresses, in walks of their own.
 */
async function countAll(context: ProgressDeps): Promise<NumbersByApp> {
  const { durable } = context.store;
  const throughAll = createWalk(context);
  const numbers: NumbersByApp = new Map();
  await throughAll('', async (piece) => {
    const { rows, next } = await countStates(durable, piece);
    for (const { client_id, state, n } of rows) add(numbers, client_id, [state, n]);
    return next;
  });
  await throughAll<AppAccountKey>({ client_id: '', account_id: '' }, async (piece) => {
    const { rows, next } = await listWaitingAccounts(durable, piece);
    for (const { client_id, n } of rows) add(numbers, client_id, ['waiting_people', n]);
    return next;
  });
  await throughAll('', async (piece) => {
    const { rows, next } = await countWaitingAddresses(durable, piece);
    for (const { client_id, n } of rows) add(numbers, client_id, ['waiting_people', n]);
    return next;
  });
  return numbers;
}

function addTo(all: TokenNumbers, one: TokenNumbers): void {
  for (const column of COLUMNS) all[column] += one[column];
}

const isSame = (one: TokenNumbers, other: TokenNumbers) =>
  COLUMNS.every((column) => one[column] === other[column]);

/** The rows to keep for today: apps whose numbers differ from their newest row. */
function changed(day: string, now: NumbersByApp, newest: ReadonlyMap<string, Progress>): Progress[] {
  return [...now].flatMap(([client_id, numbers]) =>
    isSame(numbers, newest.get(client_id) ?? NOTHING_COUNTED) ? [] : [{ client_id, day, ...numbers }],
  );
}

/**
 * Counts all tokens, and keeps today's row of each app whose numbers changed. Rows that are older than usage are
 * removed.
 */
export async function keepProgress(context: ProgressDeps): Promise<void> {
  const { clock, store } = context;
  const countedAt = clock.now();
  const counted = await countAll(context);
  const all = { ...NOTHING_COUNTED };
  const [today, keptSince] = [dayOf(clock.now()), dayOf(clock.now() - USAGE_KEPT)];
  for (let after = ''; ; ) {
    const apps = await listAppsAfter(store.durable, after, APPS_AT_ONCE);
    if (apps.length === 0) break;
    const ids = apps.map(({ clientId }) => clientId);
    // The tokens of a retired app are not counted.
    const now = new Map(
      apps.map(({ clientId, isRetired }) => [
        clientId,
        (!isRetired && counted.get(clientId)) || NOTHING_COUNTED,
      ]),
    );
    for (const numbers of now.values()) addTo(all, numbers);
    const newest = await newestProgress(store.durable, ids);
    await keepRows(store.aside, changed(today, now, new Map(newest.map((row) => [row.client_id, row]))));
    await deleteProgressBefore(store.aside, ids, keptSince);
    after = ids.at(-1) ?? '';
    await restForCalls(context.shutdown.signal);
  }
  await keepProgressOfAll(store.aside, { day: today, ...all }, { keptSince });
  await keepCountedAt(store.aside, countedAt);
}
