import { EventEmitter, once } from 'node:events';
import type { Context } from '../../../src/domain/context.ts';
import { until } from '../servers/held-answer.ts';

type SingleFlight = Pick<Context, 'flights'>;

/** A run that is held keeps every other from beginning. */
async function holdJob({ flights }: SingleFlight, name: string, held: Promise<void>): Promise<void> {
  let isHeld = false;
  await until(() => {
    void flights.run(`job ${name}`, () => {
      isHeld = true;
      return held;
    });
    return isHeld;
  });
}

/**
 * Keeps jobs from running until the answer is called, so that what a test sees does not depend on the minute in which it
 * runs.
 */
export async function holdJobs(context: SingleFlight, names: readonly string[]): Promise<() => void> {
  const gate = new EventEmitter();
  const held = once(gate, 'open').then(() => undefined);
  await Promise.all(names.map((name) => holdJob(context, name, held)));
  return () => void gate.emit('open');
}
