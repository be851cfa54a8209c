/** The operations on the whole queue of a channel, and the number of posts that a channel takes in a day. */
import { dailyPostingLimits } from './daily-limits.ts';
import { movePostInQueue } from './move.ts';

export const queueOperations = { movePostInQueue, dailyPostingLimits };
