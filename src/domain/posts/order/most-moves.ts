/** The most moves of one call. Each move costs a request of the new API, and the budget serves all calls of an app. */
export const MOST_MOVES = 20;
