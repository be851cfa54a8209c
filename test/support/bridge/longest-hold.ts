import { setImmediate as takeTurn } from 'node:timers/promises';

const cpuTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The most work, in milliseconds of the processor, that was done in a row before something else had its turn. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const end = new AbortController();
  let [last, longest] = [cpuTime(), 0];
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
  return longest;
}
