/** So many moves are made for one call: each costs a request of the new API, whose budget serves all calls of an app. */
export const MOST_MOVES = 20;
