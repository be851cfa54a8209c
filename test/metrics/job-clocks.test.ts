import { untilTurn } from '../../src/jobs/turns.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import { scrape, sumOf } from './support/scrape.ts';

/** The jobs of a running bridge while somebody sets the clock of its machine. */

const HOUR = 3_600_000;
const RealDate = Date;
let shift = 0;

/** The machine's clock, away from real time by `shift`. */
class ShiftedDate extends RealDate {
  constructor(...parts: []) {
    // One argument or more name a moment; without one it is now.
    if (parts.length > 0) super(...parts);
    else super(RealDate.now() + shift);
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
}

let system: System;
beforeAll(async () => {
  globalThis.Date = ShiftedDate as DateConstructor;
  system = await startSystem({ env: { REMINDER_CRON: '* * * * * *' } });
});
afterAll(async () => {
  shift = 0;
  await system.stop();
  globalThis.Date = RealDate;
});

/** By the machine's clock, in seconds. */
const lastSuccess = async (task: string) =>
  sumOf(await scrape(system.bridgeUrl), 'grantbridge_job_last_success_timestamp_seconds', { task });

/** A job of every five seconds, and the planning at the moments of `REMINDER_CRON`. */
const TASKS = ['shorten-stop', 'plan-reminders'];

async function stepAndSeeRuns(step: number): Promise<void> {
  shift += step;
  const stepped = Date.now() / 1000;
  const hasRun = async (task: string) => {
    const last = await lastSuccess(task);
    return last >= stepped && last < stepped + HOUR / 1000;
  };
  await Promise.all(TASKS.map((task) => until(() => hasRun(task), 30_000)));
}

test('jobs go on when the clock is set back by hours', () => stepAndSeeRuns(-3 * HOUR), 60_000);

test('jobs go on when the clock is set ahead by half a day', () => stepAndSeeRuns(12 * HOUR), 60_000);

describe('a turn', () => {
  const minute = 60_000;
  const noon = RealDate.parse('2027-03-01T12:00:00Z');

  test.each([
    [{ every: minute }, noon, minute],
    [{ every: minute }, noon + 1000, minute - 1000],
    [{ every: HOUR, past: 5 * minute }, noon, 5 * minute],
    [{ every: HOUR, past: 5 * minute }, noon + 6 * minute, 59 * minute],
    // The timer was early.
    [{ every: minute }, noon - 1, minute + 1],
  ])('of %j comes at the even moment', (turns, now, wait) => {
    expect(untilTurn(turns, now)).toBe(wait);
  });
});
