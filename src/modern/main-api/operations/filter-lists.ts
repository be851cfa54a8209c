import { badInput } from './paging.ts';

const LONGEST_LIST = 100;

/**
 * Checks the lists of a filter; the keys are the names in the schema. A longer list would cost more than the cost limit
 * counts.
 * @throws {GraphQLError} BAD_USER_INPUT when a list has more than 100 entries [inferred]
 */
export function requireShortLists(lists: Record<string, readonly string[] | null | undefined>): void {
  const [tooLong] = Object.entries(lists).filter(([, list]) => (list?.length ?? 0) > LONGEST_LIST);
  if (tooLong) throw badInput(`"${tooLong[0]}" takes at most ${LONGEST_LIST} entries`);
}
