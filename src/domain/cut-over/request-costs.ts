import { OLD_CALL_NAMES, OLD_CALLS, type OldCallName } from '../old-calls/old-calls.ts';

/**
 * The requests of the new API that one old call costs after its token has moved: the highest cost while the account is
 * known and no answer is cached. Usage has neither ids nor lengths, therefore each call counts as its most expensive
 * form:
 * - A call about one update counts as a call with an id of the old API that was not used before. The bridge tries the
 *   id unchanged, then searches for the post, then makes the call for the post. A read ends with the search. A change
 *   of media also asks for the service before each try. A move to the top reads the post in the place of the first try, and
 *   before the move. A destroy does not search.
 * - A change of an order counts with twenty moves, and with a queue of five pages that is read before and after the
 *   moves.
 *
 * Two kinds count as one request because usage cannot tell the real number: a create costs one request for each
 * profile, and a page of a list costs up to six requests where no page before it was read. The new API already answers
 * `user` and `profiles` for connected tokens, therefore these calls add no cost.
 */
export const REQUESTS_PER_CALL: Readonly<Record<OldCallName, number>> = {
  user: 0,
  profiles: 0,
  profile: 0,
  deauthorize: 0,
  schedules: 1,
  updateSchedules: 0,
  pendingUpdates: 1,
  sentUpdates: 1,
  reorderUpdates: 30,
  shuffleUpdates: 30,
  createUpdate: 1,
  update: 2,
  interactions: 0,
  changeUpdate: 5,
  shareUpdate: 3,
  destroyUpdate: 1,
  moveUpdateToTop: 4,
  shares: 0,
  configuration: 0,
};

/** A call that costs requests also needs the account. The account is read at most this often in a day. */
export const ACCOUNT_READS_PER_DAY = 24;

/** The name in the usage counts for all calls beyond a limit of different names. `other` may be any call. */
const OTHER = 'other';

const NAMES: ReadonlyMap<string, OldCallName> = new Map(
  OLD_CALL_NAMES.flatMap((name) =>
    OLD_CALLS[name].paths.flatMap((path) => [
      [path, name],
      [`${path}.json`, name],
    ]),
  ),
);

/** The call of an endpoint in the usage counts; undefined for a path that is none of the nineteen calls. */
export function callOfEndpoint(endpoint: string): OldCallName | typeof OTHER | undefined {
  return endpoint === OTHER ? OTHER : NAMES.get(endpoint);
}

/** The requests that one call of an endpoint costs. */
export function costOf(endpoint: string): number {
  const call = callOfEndpoint(endpoint);
  if (call === undefined) return 0;
  return call === OTHER ? 1 : REQUESTS_PER_CALL[call];
}
