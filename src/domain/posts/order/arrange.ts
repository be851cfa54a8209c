import { badValue, FieldRefused } from '../../translation/call-fields.ts';
import { NO_SUCH_UPDATE } from '../../translation/old-refusal.ts';
import type { WantedOrder } from '../../translation/queue-order.ts';

/**
 * Calculates the places of the posts in a queue for a requested order. Some posts keep their places: posts with a time
 * of their own (a move would remove this time), posts that are being sent, and posts that could not be sent.
 */

/** The facts of a queued post that matter for the order. */
export interface QueuedUpdate {
  id: string;
  isMovable: boolean;
}

type Queue = readonly QueuedUpdate[];

/** A requested order, with the ids as the app sent them, by the same places. */
export interface NamedOrder extends WantedOrder {
  names?: readonly string[];
}

/** @throws {FieldRefused} */
function requireQueued(queue: Queue, { ids, names = ids }: NamedOrder): void {
  const known = new Set(queue.map(({ id }) => id));
  const strange = ids.findIndex((id) => !known.has(id));
  if (strange === -1) return;
  const message = `The parameter order names the update ${names[strange]}, which is not in the buffer of this profile.`;
  throw new FieldRefused('order', NO_SUCH_UPDATE.code, message);
}

const movableIds = (queue: Queue) => queue.filter(({ isMovable }) => isMovable).map(({ id }) => id);

function outOfRange(queue: Queue): FieldRefused {
  return badValue(
    'offset',
    `leaves no place for all updates of order: the buffer of this profile has ${queue.length}`,
  );
}

/** The whole queue: the movable posts in this order, all other posts at their present places. */
function withOthers(queue: Queue, movable: readonly string[]): string[] {
  const next = movable.values();
  return queue.map(({ id, isMovable }) => (isMovable ? (next.next().value ?? id) : id));
}

/** @throws {FieldRefused} the order would move a post that keeps its place */
function requireReached(arranged: readonly string[], { ids, offset }: WantedOrder): void {
  const named = new Set(ids);
  const reached = arranged.filter((id) => named.has(id));
  const wrong = reached.find((id, index) => id !== ids[index]);
  const early = arranged.slice(0, offset).find((id) => named.has(id));
  if (wrong === undefined && early === undefined) return;
  throw badValue(
    'order',
    'moves an update that keeps its place: it has a time of its own, is being sent, or could not be sent',
  );
}

/**
 * The movable posts of a queue in the requested order. Posts that the call does not name keep their order, before and
 * after the named posts.
 * @throws {FieldRefused} the queue cannot have this order
 */
export function arrange(queue: Queue, wanted: NamedOrder): string[] {
  requireQueued(queue, wanted);
  const named = new Set(wanted.ids);
  if (named.size < wanted.ids.length) throw badValue('order', 'names an update more than once');
  const movable = movableIds(queue);
  const rest = movable.filter((id) => !named.has(id));
  const before = movableIds(queue.slice(0, wanted.offset)).length;
  const isOutside = wanted.offset + wanted.ids.length > queue.length;
  if (isOutside || before > rest.length) throw outOfRange(queue);
  const own = new Set(movable);
  const arranged = [
    ...rest.slice(0, before),
    ...wanted.ids.filter((id) => own.has(id)),
    ...rest.slice(before),
  ];
  requireReached(withOthers(queue, arranged), wanted);
  return arranged;
}

/** Whether a queue has the requested order. */
export function isArranged(queue: Queue, wanted: WantedOrder): boolean {
  try {
    const arranged = arrange(queue, wanted);
    return movableIds(queue).every((id, index) => id === arranged[index]);
  } catch (error) {
    if (error instanceof FieldRefused) return false;
    throw error;
  }
}
