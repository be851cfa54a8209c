/**
 * Forward paging with opaque cursors (modern-api.md 1.3, 1.7). A cursor says where in the order its record stands, not
 * only which one it is, so that it stays good when the record is gone.
 */
import { GraphQLError } from 'graphql';

/** The sort keys of a record, its id last; null for a key the record lacks. */
export type Position = (string | number | null)[];

export interface PageArguments {
  first?: number | null;
  after?: string | null;
}

export interface Page {
  /** 1 to 100. */
  size: number;
  /** Undefined: from the start. */
  after: Position | undefined;
}

const DEFAULT_SIZE = 20;
const MAX_SIZE = 100;

/** A refusal of a query's arguments: `errors[]` under 200, with the code BAD_USER_INPUT. [inferred] */
export const badInput = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });

/** Twice base64, as the real service's cursors are. */
const cursorOf = (position: Position): string => btoa(btoa(JSON.stringify(position)));

const isPosition = (value: unknown, keys: number): value is Position =>
  Array.isArray(value) &&
  value.length === keys &&
  value.every((key) => key === null || typeof key === 'string' || typeof key === 'number');

function positionFrom(cursor: string, keys: number): Position {
  let value: unknown;
  try {
    value = JSON.parse(atob(atob(cursor)));
  } catch {
    value = undefined;
  }
  if (!isPosition(value, keys)) throw badInput('The cursor in "after" is not one of this list');
  return value;
}

/**
 * `keys` is how many sort keys the list's positions have.
 * @throws {GraphQLError} BAD_USER_INPUT when `first` is not 1 to 100, or `after` is no cursor
 */
export function readPage({ first, after }: PageArguments, keys: number): Page {
  const size = first ?? DEFAULT_SIZE;
  if (size < 1 || size > MAX_SIZE) throw badInput(`"first" must be between 1 and ${MAX_SIZE}`);
  return { size, after: after === undefined || after === null ? undefined : positionFrom(after, keys) };
}

/** The schema's connection out of `size + 1` records (fewer at the end): the one too many says that there are more. */
export function connectionOf<T>(records: T[], size: number, positionOf: (record: T) => Position) {
  const edges = records.slice(0, size).map((node) => ({ node, cursor: cursorOf(positionOf(node)) }));
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
