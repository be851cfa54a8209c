import { LRUCache } from 'lru-cache';
import { findPairs } from '../../store/accounts/id-pairs.ts';
import { isStorageFault } from '../../store/driver/storage-fault.ts';
import type { Database } from '../../store/driver/store.ts';
import { findPublishedIds, keepPublishedIds, type PublishedId } from '../../store/accounts/published-ids.ts';
import type { IdsDeps } from './deps.ts';
import { retryUntilStored } from '../work/retry-until-stored.ts';
import { madeOnce } from '../../shared/memory/made-once.ts';

/**
 * An app is told the same id for ever. A pair that comes later does not change the id for that app
 * (docs/decisions/0016).
 */

/** A channel or account, by its new id. */
export type ModernIdRef = Pick<PublishedId, 'kind' | 'modernId'>;

export const nameOf = ({ kind, modernId }: ModernIdRef): string => `${kind} ${modernId}`;

/** The new ids, each once. */
export const modernIdsOf = (ids: readonly ModernIdRef[]): string[] => [
  ...new Set(ids.map(({ modernId }) => modernId)),
];

/** Ids in the memory of one process. An id that was pushed out is read from the database again. */
const MOST_REMEMBERED = 50_000;

const memories = new WeakMap<IdsDeps, LRUCache<string, string>>();

/** The told ids that this process remembers. A told id never changes, so only the first call asks the database. */
function memoryOf(context: IdsDeps): LRUCache<string, string> {
  return madeOnce(memories, context, () => new LRUCache<string, string>({ max: MOST_REMEMBERED }));
}

/** The id that an app was told, as far as this process remembers. */
export function recall(context: IdsDeps, clientId: string, known: ModernIdRef): string | undefined {
  return memoryOf(context).get(`${clientId} ${nameOf(known)}`);
}

/** Remembers told ids, so that later calls of this process do not ask the database. */
export function remember(context: IdsDeps, clientId: string, ids: readonly PublishedId[]): void {
  const memory = memoryOf(context);
  for (const one of ids) memory.set(`${clientId} ${nameOf(one)}`, one.toldId);
}

/** The old id of a pair, or else the new id. */
async function idsByPairs(db: Database, unknown: readonly ModernIdRef[]): Promise<PublishedId[]> {
  const pairs = await findPairs(db, modernIdsOf(unknown));
  const paired = new Map(pairs.map((pair) => [nameOf(pair), pair.legacyId]));
  return unknown.map((one) => ({ ...one, toldId: paired.get(nameOf(one)) ?? one.modernId }));
}

interface IdPublication {
  clientId: string;
  ids: readonly PublishedId[];
  now: number;
}

/** Another process may have been faster. The stored ids count. */
async function keep(db: Database, { clientId, ids, now }: IdPublication): Promise<PublishedId[]> {
  await keepPublishedIds(db, clientId, { ids, now });
  return findPublishedIds(db, clientId, modernIdsOf(ids));
}

/** No caller waits for this write, nor for a database that another process locks. */
function keepLater(context: IdsDeps, telling: IdPublication): void {
  const { clientId, ids } = telling;
  const what = 'the ids that an app was told';
  const write = () => keep(context.store.aside, telling);
  context.flights
    .run(`tell ${clientId} ${modernIdsOf(ids).join(' ')}`, () => retryUntilStored(context, what, write))
    .then((kept) => remember(context, clientId, kept))
    .catch((error: unknown) => context.logger.error(`${what} were not kept`, { clientId, error }));
}

/**
 * Decides the ids that an app is told from now on. The ids are committed when this resolves. Only where the database
 * cannot write, the same ids go out at once and are stored as soon as the database writes again.
 */
export async function tell(
  context: IdsDeps,
  clientId: string,
  unknown: readonly ModernIdRef[],
): Promise<PublishedId[]> {
  const { store } = context;
  const now = context.clock.now();
  try {
    return await store.transaction(async (tx) =>
      keep(tx, { clientId, ids: await idsByPairs(tx, unknown), now }),
    );
  } catch (error) {
    if (!isStorageFault(error)) throw error;
    const ids = await idsByPairs(store.durable, unknown);
    keepLater(context, { clientId, ids, now });
    return ids;
  }
}
