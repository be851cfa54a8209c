import type { Door } from '../../endpoints/support/door.ts';
import { said } from './bakery.ts';
import { CHANNEL } from './reader.ts';

/** Lists of made-up posts that the new API has, as long as a test needs them. */

/** The later its number, the earlier it was sent. */
const madeUp = (number: number, length: number) => {
  const time = new Date(1_700_000_000_000 - number * 1000).toISOString();
  return {
    id: number.toString(16).padStart(24, '0'),
    status: 'sent',
    via: 'api',
    createdAt: time,
    updatedAt: time,
    dueAt: time,
    sentAt: time,
    text: 'x'.repeat(length),
    channelId: CHANNEL,
    channelService: 'threads',
    sharedNow: false,
    assets: [],
  };
};

/**
 * The new API has a list of the posts from number `from` to number `length`, and gives at most so many at once.
 * `forgotten` is a cursor that it does not know until it gives it again. The post with the number `spoilt` has no text.
 */
export function serveLong(
  { proxy }: Pick<Door, 'proxy'>,
  length: number,
  { from = 0, forgotten = '', textLength = 1, most = 100, spoilt = -1 } = {},
): void {
  let unknown = forgotten;
  proxy.insteadOfOther = (call) => {
    if (!/"query":"query Posts\(/.test(call.body)) return undefined;
    const { variables } = JSON.parse(call.body) as { variables: { first: number; after?: string } };
    if (variables.after !== undefined && variables.after === unknown) return said(200, { data: null });
    const start = Math.max(from, Number(variables.after?.slice(1) ?? 0));
    const end = Math.min(length, start + Math.min(most, variables.first));
    const known = Number(unknown.slice(1));
    if (known > start && known <= end) unknown = '';
    const numbers = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
    const edges = numbers.map((number) => ({
      cursor: `c${number + 1}`,
      node: { ...madeUp(number, textLength), ...(number === spoilt ? { text: null } : {}) },
    }));
    const pageInfo = { hasNextPage: end < length, endCursor: `c${end}` };
    return said(200, { data: { posts: { edges, pageInfo } } });
  };
}

/** The numbers of the posts that an answer has. */
export const numbersOf = (listed: { updates: Array<{ id: string }> }) =>
  listed.updates.map(({ id }) => Number.parseInt(id, 16));

export const numbersBetween = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);
