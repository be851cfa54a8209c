import type { PostWriteRow } from '../../../src/store/tables/posts.ts';
import { type Bakery, isWrite } from './bakery.ts';
import { type Queue, queueOf } from './queue.ts';

/** Calls that bring one queue into another order, and what they leave in the journal and cost at the new API. */

type Fields = ReadonlyArray<[string, string]>;
type Told = Awaited<ReturnType<Bakery['post']>>;

export interface Ordering {
  /** The paused one, unless a test takes another. */
  queue: Queue;
  /** Fills the queue anew; from here on rows and requests count. */
  fill(count: number): Promise<string[]>;
  call(name: 'reorder' | 'shuffle', fields: Fields): Promise<Told>;
  reorder(ids: readonly string[], fields?: Fields): Promise<Told>;
  newRows(): Promise<PostWriteRow[]>;
  requests(): number;
  /** Does something before one of the next writes reaches the new API, counted from 1. */
  onWrite(number: number, work: () => Promise<void> | void): void;
}

export const orderOf = (ids: readonly string[]) => ids.map((id): [string, string] => ['order[]', id]);

/** The ids of the updates that an answer has. */
export const told = ({ json: { updates } }: Told) => updates?.map(({ id }) => id);

/** The ids at these places, such as `'201'`. */
export const pick = (ids: readonly string[], places: string) =>
  places.split('').map((place) => ids[Number(place)] ?? '');

/** Orders queues of the bakery. */
export function orderingOf(bakery: Bakery): Ordering {
  const { proxy } = bakery.system;
  let [rowsBefore, requestsBefore] = [0, 0];
  const ordering: Ordering = {
    queue: queueOf(bakery),
    async fill(count) {
      const ids = await ordering.queue.fill(count);
      rowsBefore = (await bakery.rows()).length;
      requestsBefore = proxy.readings().length;
      return ids;
    },
    call: (name, fields) => bakery.post(`profiles/${ordering.queue.channelId}/updates/${name}`, fields),
    reorder: (ids, fields = []) => ordering.call('reorder', [...orderOf(ids), ...fields]),
    newRows: async () => (await bakery.rows()).slice(rowsBefore),
    requests: () => proxy.readings().length - requestsBefore,
    onWrite(number, work) {
      let writes = 0;
      proxy.onOtherCall = async (request) => {
        if (!isWrite(request)) return;
        writes += 1;
        if (writes === number) await work();
      };
    },
  };
  return ordering;
}
