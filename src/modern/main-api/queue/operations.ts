/** What the main API does with the queue of a channel as a whole, and how many posts it takes in a day. */
import { dailyPostingLimits } from './daily-limits.ts';
import { movePostInQueue } from './move.ts';

export const queueOperations = { movePostInQueue, dailyPostingLimits };
