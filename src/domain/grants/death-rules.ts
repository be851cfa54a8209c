/**
 * Pure rules that tell when many dead grants point to a larger fault, such as a fault of the new API or a second copy
 * of the database at work.
 *
 * Account holders may end grants at will, because revoking an app ends a grant. So the rules count the *accounts* that
 * lost a grant within a minute. They compare this number with the size of the fleet and with the grants refreshed well
 * in the same minute. A person with ten accounts cannot stop the others, and in a fleet of a million a thousand
 * accounts are needed. If the new API refuses everything, refreshing stops as soon as that number of accounts has lost
 * a grant.
 */

/** In a fleet with at least this many accounts, fewer accounts never stop it. */
export const FEWEST = 11;

/**
 * The usual number of accounts that stop refreshing, in fleets of 50 to 25,000 grants. In a smaller fleet half as many
 * accounts as grants are enough. A larger fleet needs one account for a thousand grants.
 */
const USUAL = 25;
const GRANTS_FOR_EACH = 1000;

/** The accounts of a fleet are counted up to this number. A higher count would not change a decision. */
export const ACCOUNTS_COUNTED = 2 * USUAL;

/** Fewer accounts than this never stop anything. */
const SOME = 2;

/**
 * Deaths stop refreshing only while at most this many grants were refreshed well for each account that lost a grant, in
 * the same minute.
 */
const GOOD_FOR_EACH = 3;

export interface DeathCounts {
  /** How many accounts lost a grant within the minute. */
  accounts: number;
  /** How many grants were refreshed well within the minute. */
  good: number;
  /** How many grants are alive. */
  live: number;
}

/** The limit for counting well refreshed grants. A higher count would not change the decision. */
export function goodCountedUpTo(accounts: number): number {
  return accounts >= FEWEST ? accounts * GOOD_FOR_EACH + 1 : 0;
}

/** Whether the deaths of the last minute stop all refreshing. */
export function stopsRefreshing({ accounts, good, live }: DeathCounts): boolean {
  const half = (live + accounts) / 2;
  const isMany = accounts >= Math.max(FEWEST, Math.min(half, USUAL), live / GRANTS_FOR_EACH);
  return isMany && good <= accounts * GOOD_FOR_EACH;
}

export interface SpentAccounts {
  /** How many accounts had a grant that was found spent within the minute. */
  accounts: number;
  /** How many accounts the fleet has, including accounts that lost their last grant within the minute. */
  fleet: number;
  /** How many accounts the fleet has, including accounts whose last grant was found spent within the last hour. */
  before: number;
}

/**
 * Whether introspection may be wrong after a take-over, because it called the grants of too many accounts spent. The
 * size of a large fleet does not matter: the bridge looks into only about sixty grants a minute unless callers come,
 * and one recovered grant ends the stop. In a fleet with fewer accounts than `FEWEST`, half of the accounts are too
 * many. A fleet that shrank below `FEWEST` only through spent grants keeps the usual rule. So ten accounts of a larger
 * fleet stop nobody.
 */
export function areManySpent({ accounts, fleet, before }: SpentAccounts): boolean {
  const half = fleet / 2;
  if (before < FEWEST) return accounts >= Math.max(SOME, half);
  return accounts >= Math.max(FEWEST, Math.min(half, USUAL));
}
