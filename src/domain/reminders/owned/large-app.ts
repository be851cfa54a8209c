import {
  countWithoutHolder,
  type HolderKind,
  lastUseOf,
  listOwnersHolders,
  listUnusedTokens,
} from '../../../store/reminders/owned-tokens.ts';
import { type MappingState, WAITING_STATES } from '../../../store/tables/tables.ts';
import { restForCalls } from '../../work/yield-to-event-loop.ts';
import type { RemindersDeps } from '../deps.ts';
import { emptySum, isConcerned, type KindSum, later, tokenSums, type TokenSums } from './token-sums.ts';

/**
 * Adds up the tokens of an app that has most of a million. To read them all would be most of the work of a plan: so
 * holders are counted in one index, the last use stands at the end of another, and only the tokens without a use are read.
 */

/** Rows of one statement. With SQLite, the process does no other work meanwhile. */
const ROWS_AT_ONCE = 1000;

const HOLDER_KINDS: readonly HolderKind[] = ['account', 'address'];

interface LargeApp {
  clientId: string;
  stopping: AbortSignal | undefined;
}

type LargeAppDeps = Pick<RemindersDeps, 'store'>;

interface RowPieces<Row> {
  read: (piece: { after: string; limit: number }) => Promise<readonly Row[]>;
  keyOf: (row: Row) => string;
}

/** All rows, piece by piece; other work goes on in between. */
async function* allRows<Row>(
  { read, keyOf }: RowPieces<Row>,
  stopping: AbortSignal | undefined,
): AsyncIterable<readonly Row[]> {
  for (let after = ''; ; ) {
    const rows = await read({ after, limit: ROWS_AT_ONCE });
    yield rows;
    await restForCalls(stopping);
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    after = keyOf(last);
  }
}

/** Tokens that concern nobody, by their holder; '' is nobody. */
type HolderCounts = Map<string, number>;

/** Reads the tokens of which no use is known. Returns those among them that concern nobody. */
async function addUnused(
  { store: { durable } }: LargeAppDeps,
  { clientId, stopping }: LargeApp,
  { state, sum }: { state: MappingState; sum: KindSum },
): Promise<HolderCounts> {
  const unconcerned: HolderCounts = new Map();
  const unused = allRows(
    { read: (piece) => listUnusedTokens(durable, { clientId, state }, piece), keyOf: ({ id }) => id },
    stopping,
  );
  for await (const tokens of unused)
    for (const token of tokens) {
      const holder = token.account_id ?? token.account_email ?? '';
      if (isConcerned(token)) sum.knownSince = later(sum.knownSince, token.updated_at);
      else unconcerned.set(holder, (unconcerned.get(holder) ?? 0) + 1);
    }
  return unconcerned;
}

/** Counts the tokens of an app in one state, and their holders. */
async function addHolders(
  { store: { durable } }: LargeAppDeps,
  { clientId, stopping }: LargeApp,
  { state, sum, unconcerned }: { state: MappingState; sum: KindSum; unconcerned: HolderCounts },
): Promise<void> {
  const add = (holder: string, tokens: number) => {
    const concerned = tokens - (unconcerned.get(holder) ?? 0);
    sum.tokens += concerned;
    if (concerned > 0 && holder !== '') sum.accounts.add(holder);
  };
  add('', await countWithoutHolder(durable, { clientId, state }));
  for (const by of HOLDER_KINDS) {
    const holders = allRows(
      {
        read: (piece) => listOwnersHolders(durable, { clientId, state }, { by, ...piece }),
        keyOf: ({ holder }) => holder,
      },
      stopping,
    );
    for await (const some of holders) for (const { holder, tokens } of some) add(holder, tokens);
  }
}

async function sumOf(
  context: LargeAppDeps,
  app: LargeApp,
  states: readonly MappingState[],
): Promise<KindSum> {
  const sum = emptySum();
  for (const state of states) {
    const { clientId } = app;
    sum.lastUsedAt = later(sum.lastUsedAt, await lastUseOf(context.store.durable, { clientId, state }));
    const unconcerned = state === 'active' ? new Map() : await addUnused(context, app, { state, sum });
    await addHolders(context, app, { state, sum, unconcerned });
  }
  return sum;
}

/**
 * Adds up the waiting and the connected tokens of a large app.
 * @throws {Error} named AbortError, when `stopping` aborts
 */
export async function sumLargeApp(context: LargeAppDeps, app: LargeApp): Promise<TokenSums> {
  return tokenSums(await sumOf(context, app, WAITING_STATES), await sumOf(context, app, ['active']));
}
