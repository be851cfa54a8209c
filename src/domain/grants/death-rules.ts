/**
 * When deaths of grants mean that something larger is wrong than single grants (a fault of the modern side, a second copy
 * of the database at work). Pure rules.
 *
 * Account holders end grants at will: whoever revokes an app ends one. So what counts is how many *accounts* died within a
 * minute, against the size of the fleet and against what was refreshed well in that minute. Nobody with ten accounts can
 * stop the others, and in a fleet of a million it takes a thousand; a modern side that refuses everything is stopped
 * after the first accounts of that number.
 */

/** No fleet is stopped by fewer accounts, whatever its size. */
const FEWEST = 11;

/** From a fleet of fifty grants on so many accounts are needed, below it half of them; from 25,000 on one in a thousand. */
const USUAL = 25;
const GRANTS_FOR_EACH = 1000;

/** Below it each grant that lives or dies changes how many accounts are needed. */
export const SMALL_FLEET = 2 * USUAL;

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

/** Whether so many accounts lost a grant that something larger is wrong, in a fleet of which so many grants live on. */
export function areMany({ accounts, live }: Pick<Deaths, 'accounts' | 'live'>): boolean {
  const half = (live + accounts) / 2;
  return accounts >= Math.max(FEWEST, Math.min(half, USUAL), live / GRANTS_FOR_EACH);
}

/** Whether so many deaths stop all refreshing. */
export function stopsRefreshing(deaths: Deaths): boolean {
  return areMany(deaths) && deaths.good <= deaths.accounts * GOOD_FOR_EACH;
}
