import { setImmediate } from 'node:timers/promises';

/** SQLite answers without giving way to anything else: after each piece of long work the process turns to what waits. */
export const takeTurns = (): Promise<void> => setImmediate();
