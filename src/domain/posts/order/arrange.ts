import { badValue, FieldRefused } from '../../translation/call-fields.ts';
import type { WantedOrder } from '../../translation/queue-order.ts';

/**
 * Where the posts of a queue have to stand for an order that was asked for. Some posts keep their places: those with a
 * time of their own, which a move would take from them, and those that are being sent or could not be sent.
 */

/** A post of a queue, as far as its order is concerned. */
export interface QueuedUpdate {
  id: string;
  isMovable: boolean;
}

type Queue = readonly QueuedUpdate[];

const NO_UPDATE = 1020;

/** @throws {FieldRefused} */
function requireQueued(queue: Queue, ids: readonly string[]): void {
  const known = new Set(queue.map(({ id }) => id));
  const strange = ids.find((id) => !known.has(id));
  if (strange === undefined) return;
  const message = `The parameter order names the update ${strange}, which is not in the buffer of this profile.`;
  throw new FieldRefused('order', NO_UPDATE, message);
}

const movableIds = (queue: Queue) => queue.filter(({ isMovable }) => isMovable).map(({ id }) => id);

function outOfRange(queue: Queue): FieldRefused {
  return badValue(
    'offset',
    `leaves no place for all updates of order: the buffer of this profile has ${queue.length}`,
  );
}

/** The whole queue, where the movable posts stand in this order and the others where they are. */
function withOthers(queue: Queue, movable: readonly string[]): string[] {
  const next = movable.values();
  return queue.map(({ id, isMovable }) => (isMovable ? (next.next().value ?? id) : id));
}

/** @throws {FieldRefused} the order needs a post that keeps its place to stand elsewhere */
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
 * The movable posts of a queue in the order that was asked for. Those that are not named stay in their order before and
 * behind the named ones.
 * @throws {FieldRefused} the queue cannot stand like that
 */
export function arrange(queue: Queue, wanted: WantedOrder): string[] {
  requireQueued(queue, wanted.ids);
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

/** Whether a queue stands as it was asked for. */
export function isArranged(queue: Queue, wanted: WantedOrder): boolean {
  try {
    const arranged = arrange(queue, wanted);
    return movableIds(queue).every((id, index) => id === arranged[index]);
  } catch (error) {
    if (error instanceof FieldRefused) return false;
    throw error;
  }
}
