import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * SQLite calls block the whole process. So long work calls this function after each piece, and waiting work gets its
 * turn. Each piece is complete in itself. The work ends here when the signal of the stop aborts, and the next start
 * continues it.
 * @throws {Error} named AbortError, when the process stops
 */
export const yieldToEventLoop = (stopping?: AbortSignal): Promise<void> =>
  setImmediate(undefined, stopping && { signal: stopping });

/** In milliseconds. A turn of the event loop in which nobody else had anything to do is shorter. */
const WORK_OF_OTHERS = 0.3;

/** In milliseconds. */
const REST = 5;

/**
 * The same for work that nobody waits for. A call takes up to thirty turns of the event loop, and would wait for a
 * piece in each of them. So where others had anything to do in the turn, the work rests for more than one.
 * @throws {Error} named AbortError, when the process stops
 */
export async function restForCalls(stopping?: AbortSignal): Promise<void> {
  const begun = performance.now();
  await yieldToEventLoop(stopping);
  if (performance.now() - begun > WORK_OF_OTHERS)
    await setTimeout(REST, undefined, stopping && { signal: stopping });
}
