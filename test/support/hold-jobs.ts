import type { Context } from '../../src/domain/context.ts';
import { until } from './held-answer.ts';

/**
 * Keeps jobs from running until the answer is called: a run that is held keeps every other from beginning. So what a test
 * sees does not depend on the minute in which it runs.
 */
export async function holdJobs(
  { flights }: Pick<Context, 'flights'>,
  names: readonly string[],
): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  for (const name of names) {
    let isHeld = false;
    await until(() => {
      void flights.run(`job ${name}`, () => {
        isHeld = true;
        return held;
      });
      return isHeld;
    });
  }
  return letGo;
}
