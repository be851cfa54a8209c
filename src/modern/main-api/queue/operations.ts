/** What the main API does with the queue of a channel as a whole. */
import { movePostInQueue } from './move.ts';

export const queueOperations = { movePostInQueue };
