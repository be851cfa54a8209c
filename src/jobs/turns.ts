import { createTask } from 'node-cron';
import { SECOND } from '../shared/lifetimes.ts';
import { type RepeatedWork, repeat } from '../shared/repeat.ts';

/** Turns at even moments: at each full `every` milliseconds of Unix time, and `past` milliseconds later. */
export interface EvenTurns {
  every: number;
  past?: number;
}

/** A timer may be early, and a clock may be set right by a little. A turn as near as this is the one that just was. */
const SAME_TURN = 0.1 * SECOND;

/**
 * How long to wait for the next turn, by the clock that all processes share. So their turns come together, and a lease
 * leaves most turns to one of them. However the clock steps, a wait is hardly longer than `every`.
 */
export function untilTurn({ every, past = 0 }: EvenTurns, now: number): number {
  const wait = every - ((now - past) % every);
  return wait < SAME_TURN ? wait + every : wait;
}

/**
 * Repeats work at the moments of a cron expression, in UTC. Only the moments are node-cron's. Its own timer waits until a
 * wall clock that was set back has caught up, and after a sleep walks through every moment that went by. Here a look each
 * second finds that another moment is the next one. That is one turn, however the clock came there.
 */
export function repeatByCron(work: () => Promise<void>, expression: string): Pick<RepeatedWork, 'stop'> {
  const task = createTask(expression, () => undefined, { timezone: 'UTC' });
  const findNext = () => task.getNextRuns(1)[0]?.getTime();
  let next = findNext();
  const looking = repeat(async () => {
    const found = findNext();
    if (found === next) return;
    next = found;
    await work();
  }, SECOND);
  return {
    async stop() {
      await task.destroy();
      await looking.stop();
    },
  };
}
