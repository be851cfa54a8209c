/**
 * Forward paging with opaque cursors. A cursor holds the place of a record in the order, and not only the id. The
 * cursor therefore stays valid when the record is deleted.
 */
import { GraphQLError } from 'graphql';
import { z } from 'zod';

/**
 * The place of a record in an order: the sort keys, which are numbers, and the id, which decides between equal keys.
 */
export interface PageBoundary {
  values: number[];
  id: string;
}

export interface PageArguments {
  first?: number | null;
  after?: string | null;
}

export interface PageSelection {
  /** 1 to 100. */
  size: number;
  /** Undefined: the page begins at the start of the list. */
  after: PageBoundary | undefined;
}

/** The order of a list. `name` stands in every cursor: a cursor of another order is refused. */
export interface ListOrder<T> {
  name: string;
  placeOf: (record: T) => PageBoundary;
}

export const DEFAULT_SIZE = 20;
export const MAX_SIZE = 100;

/** Refuses the arguments of a query: `errors[]` under 200, with the code BAD_USER_INPUT. [inferred] */
export const badInput = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });

const cursorShape = z.tuple([z.string(), z.array(z.int()), z.string()]);

/** Encodes a cursor twice in base64, like the real service. */
const cursorOf = (order: string, { values, id }: PageBoundary): string =>
  btoa(btoa(JSON.stringify([order, values, id])));

function readCursor(cursor: string) {
  try {
    return cursorShape.parse(JSON.parse(atob(atob(cursor))));
  } catch {
    throw badInput('The cursor in "after" is not one of this list');
  }
}

function placeFrom(cursor: string, { name, keys }: { name: string; keys: number }): PageBoundary {
  const [order, values, id] = readCursor(cursor);
  if (order !== name || values.length !== keys)
    throw badInput('The cursor in "after" comes from a list in another order');
  return { values, id };
}

/**
 * Reads the paging arguments. `keys` is the number of sort keys in the order, without the id.
 * @throws {GraphQLError} BAD_USER_INPUT when `first` is not 1 to 100, or `after` is no cursor of this order
 */
export function readPage(
  { first, after }: PageArguments,
  order: { name: string; keys: number },
): PageSelection {
  const size = first ?? DEFAULT_SIZE;
  if (size < 1 || size > MAX_SIZE) throw badInput(`"first" must be between 1 and ${MAX_SIZE}`);
  return { size, after: typeof after === 'string' ? placeFrom(after, order) : undefined };
}

/** Makes the schema's connection from up to `size + 1` records. The extra record shows that there is a next page. */
export function connectionOf<T>(records: T[], size: number, { name, placeOf }: ListOrder<T>) {
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
