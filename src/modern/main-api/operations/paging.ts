/**
 * Forward paging with opaque cursors. A cursor says where in the order its record stands, not
 * only which one it is, so that it stays good when the record is gone.
 */
import { GraphQLError } from 'graphql';
import { z } from 'zod';

/** Where a record stands in an order: its sort keys, all of them numbers, then its id, which settles what they leave open. */
export interface Place {
  values: number[];
  id: string;
}

export interface PageArguments {
  first?: number | null;
  after?: string | null;
}

export interface Page {
  /** 1 to 100. */
  size: number;
  /** Undefined: from the start. */
  after: Place | undefined;
}

/** The order of a list, in words of its own; a cursor of another order is none of this one. */
export interface Order<T> {
  name: string;
  placeOf: (record: T) => Place;
}

export const DEFAULT_SIZE = 20;
export const MAX_SIZE = 100;

/** A refusal of a query's arguments: `errors[]` under 200, with the code BAD_USER_INPUT. [inferred] */
export const badInput = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });

const cursorShape = z.tuple([z.string(), z.array(z.int()), z.string()]);

/** Twice base64, as the real service's cursors are. */
const cursorOf = (order: string, { values, id }: Place): string =>
  btoa(btoa(JSON.stringify([order, values, id])));

function readCursor(cursor: string) {
  try {
    return cursorShape.parse(JSON.parse(atob(atob(cursor))));
  } catch {
    throw badInput('The cursor in "after" is not one of this list');
  }
}

function placeFrom(cursor: string, { name, keys }: { name: string; keys: number }): Place {
  const [order, values, id] = readCursor(cursor);
  if (order !== name || values.length !== keys)
    throw badInput('The cursor in "after" comes from a list in another order');
  return { values, id };
}

/**
 * `keys` is how many sort keys the order has besides the id.
 * @throws {GraphQLError} BAD_USER_INPUT when `first` is not 1 to 100, or `after` is no cursor of this order
 */
export function readPage({ first, after }: PageArguments, order: { name: string; keys: number }): Page {
  const size = first ?? DEFAULT_SIZE;
  if (size < 1 || size > MAX_SIZE) throw badInput(`"first" must be between 1 and ${MAX_SIZE}`);
  return { size, after: typeof after === 'string' ? placeFrom(after, order) : undefined };
}

/** The schema's connection out of `size + 1` records (fewer at the end): the one too many says that there are more. */
export function connectionOf<T>(records: T[], size: number, { name, placeOf }: Order<T>) {
  const edges = records.slice(0, size).map((node) => ({ node, cursor: cursorOf(name, placeOf(node)) }));
  return {
    edges,
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasPreviousPage: false,
      hasNextPage: records.length > size,
    },
  };
}
