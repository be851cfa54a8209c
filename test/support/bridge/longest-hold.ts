import { setImmediate as takeTurn } from 'node:timers/promises';

const cpuTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Milliseconds of the processor. */
interface Hold {
  /** The most that was done in a row before something else had its turn. */
  longest: number;
  whole: number;
}

/** How long a piece of work keeps everything else from its turn. */
export async function longestHold(work: () => Promise<unknown>): Promise<Hold> {
  const end = new AbortController();
  const begun = cpuTime();
  let [last, longest] = [begun, 0];
  const watching = (async () => {
    while (!end.signal.aborted) {
      await takeTurn();
      longest = Math.max(longest, cpuTime() - last);
      last = cpuTime();
    }
  })();
  await work();
  end.abort();
  await watching;
  return { longest, whole: last - begun };
}

/**
 * The longest hold as a share of the work, so that it is the same on a slow machine and on a quick one. A piece that is too
 * large is so each time, a collection of garbage on a busy machine is not: the work is done up to three times, as
 * long as the share is not below the one that is wanted. The least.
 */
export async function shareHeld(work: () => Promise<unknown>, wanted: number): Promise<number> {
  const shares: number[] = [];
  while (shares.length < 3 && !shares.some((share) => share < wanted)) {
    const { longest, whole } = await longestHold(work);
    shares.push(longest / whole);
  }
  return Math.min(...shares);
}
