import type { IncomingMessage } from 'node:http';
import { Note } from '../shared/memory/note.ts';

const arrivals = new Note<IncomingMessage, number>();

/** Notes when a request arrived that is begun later. */
export const noteArrival = (req: IncomingMessage, at: number): void => arrivals.set(req, at);

/** When a request arrived that begins now, in milliseconds of the monotonic clock: how long its caller waits counts from then. */
export const arrivedAt = (req: IncomingMessage): number => arrivals.get(req) ?? performance.now();
