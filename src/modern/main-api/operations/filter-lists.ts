import { badInput } from './paging.ts';

const LONGEST_LIST = 100;

/**
 * For the lists of a filter by their names in the schema. A longer one would cost more than the query looks like.
 * @throws {GraphQLError} BAD_USER_INPUT when one has more than 100 entries [inferred]
 */
export function requireShortLists(lists: Record<string, readonly string[] | null | undefined>): void {
  const [tooLong] = Object.entries(lists).filter(([, list]) => (list?.length ?? 0) > LONGEST_LIST);
  if (tooLong) throw badInput(`"${tooLong[0]}" takes at most ${LONGEST_LIST} entries`);
}
