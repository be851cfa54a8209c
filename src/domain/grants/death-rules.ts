/**
 * When deaths of grants mean that something larger is wrong than single grants (a fault of the modern side, a second copy
 * of the database at work). Pure rules.
 *
 * Account holders end grants at will: whoever revokes an app ends one. So what counts is how many *accounts* died within a
 * minute, against the size of the fleet and against what was refreshed well in that minute. Nobody with ten accounts can
 * stop the others, and in a fleet of a million it takes a thousand; a modern side that refuses everything is stopped
 * after the first accounts of that number.
 */

/** No fleet of more accounts is stopped by fewer of them, whatever its size. */
export const FEWEST = 11;

/** From a fleet of fifty grants on so many accounts are needed, below it half of them; from 25,000 on one in a thousand. */
const USUAL = 25;
const GRANTS_FOR_EACH = 1000;

/** Accounts of a fleet are counted up to so many: more of them decide nothing. */
export const ACCOUNTS_COUNTED = 2 * USUAL;

/** A smaller number of accounts never stops anything. */
const SOME = 2;

/** Well refreshed grants outweigh the deaths of the same minute from so many for each account on. */
const GOOD_FOR_EACH = 3;

export interface Deaths {
  /** How many accounts lost a grant within the minute. */
  accounts: number;
  /** How many grants were refreshed well within it. */
  good: number;
  /** How many grants are alive. */
  live: number;
}

/** How far well refreshed grants have to be counted: more of them decide nothing. */
export function goodCountedUpTo(accounts: number): number {
  return accounts >= FEWEST ? accounts * GOOD_FOR_EACH + 1 : 0;
}

/** Whether so many deaths stop all refreshing. */
export function stopsRefreshing({ accounts, good, live }: Deaths): boolean {
  const half = (live + accounts) / 2;
  const isMany = accounts >= Math.max(FEWEST, Math.min(half, USUAL), live / GRANTS_FOR_EACH);
  return isMany && good <= accounts * GOOD_FOR_EACH;
}

export interface SpentAccounts {
  /** How many accounts had a grant that was found spent within the minute. */
  accounts: number;
  /** How many accounts the fleet has, those that lost their last grant within the minute included. */
  fleet: number;
  /** How many it had an hour earlier. */
  before: number;
}

/**
 * Whether so many accounts had a grant that was found spent after a take-over that introspection may be wrong. The size of
 * a large fleet does not matter: only about sixty grants a minute are looked into unless callers come, and one that
 * recovers ends the stop. Where there are too few accounts for the usual rule, half of them are many; a fleet that became
 * so small only through what was found spent keeps the usual rule, so that ten accounts of a larger fleet stop nobody.
 */
export function areManySpent({ accounts, fleet, before }: SpentAccounts): boolean {
  const half = fleet / 2;
  if (before < FEWEST) return accounts >= Math.max(SOME, half);
  return accounts >= Math.max(FEWEST, Math.min(half, USUAL));
}
