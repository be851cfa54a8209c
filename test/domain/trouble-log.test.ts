import { withLease } from '../../src/domain/work/lease.ts';
import { createTroubleLog } from '../../src/domain/work/trouble-log.ts';
import { startJobs } from '../../src/jobs/schedule.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { asStorageFault } from '../../src/store/driver/storage-fault.ts';
import { until } from '../support/servers/held-answer.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { openStoreBreaker } from '../support/database/store-breaker.ts';
import { type History, openHistory } from './support/histories.ts';

/** Background work that fails again and again does not fill the log. */

interface Line {
  level: string;
  message: string;
  work?: string;
  kind?: string;
  unwritten?: Record<string, number>;
  works?: string[];
  failures?: number;
}

function openLog(level = 'warn') {
  const { stream, lines } = logLines();
  const logger = createLogger({ level, name: 'test', stream });
  const words = { message: 'it failed', again: 'it works again' };
  const log = createTroubleLog({ logger, level: 'error', ...words, minute: 20 });
  return { log, lines: () => lines().map((line) => JSON.parse(line) as Line) };
}

const away = () => asStorageFault(new Error('connect ECONNREFUSED'));

test('an outage is told once, then counted, and its end is told once', async () => {
  const { log, lines } = openLog();
  for (const work of ['one', 'two', 'one', 'two', 'two']) log.note(work, away());
  expect(lines()).toMatchObject([{ level: 'error', message: 'it failed', work: 'one' }]);
  await until(() => lines().length === 2);
  expect(lines()[1]).toMatchObject({ message: 'it failed', kind: 'database', unwritten: { one: 1, two: 3 } });
  log.done('three');
  log.note('two', away());
  await until(() => lines().length === 3);
  expect(lines()[2]).toMatchObject({ unwritten: { two: 1 } });
  log.done('one');
  await until(() => lines().length === 4);
  expect(lines()[3]).toMatchObject({ message: 'it works again', works: ['one', 'two'], failures: 6 });
  log.note('two', away());
  expect(lines()[4]).toMatchObject({ message: 'it failed', work: 'two' });
});

test('work that fails for a reason of its own is told beside, and many names are told together', async () => {
  const { log, lines } = openLog();
  log.note('one', away());
  log.note('one', new TypeError('of its own'));
  log.note('two', new TypeError('of its own'));
  expect(lines().map(({ work }) => work)).toEqual(['one', 'one', 'two']);
  for (let n = 0; n < 100; n += 1) log.note(`grant ${n}`, away());
  await until(() => lines().length === 4);
  expect(Object.keys(lines()[3]?.unwritten ?? {}).length).toBeLessThanOrEqual(21);
  expect(lines()[3]?.unwritten?.['others']).toBeGreaterThan(80);
});

test('at level debug all are written', () => {
  const { log, lines } = openLog('debug');
  for (let n = 0; n < 3; n += 1) log.note('one', away());
  expect(lines()).toHaveLength(3);
});

describe('on a database that is really broken', () => {
  let place: History;
  beforeEach(async () => {
    place = await openHistory('sqlite');
  });
  afterEach(() => place.close());

  const said = (message: string) => place.log.filter((line) => line.includes(`"${message}"`)).length;

  async function broken(table: string, work: () => Promise<void>): Promise<void> {
    const breaker = await openStoreBreaker(place.location);
    await breaker.whileMissing(table, work);
    await breaker.close();
  }

  test('leases that do not work are told once, and the work is done all the same', async () => {
    let done = 0;
    await broken('leases', async () => {
      for (const name of ['one', 'two', 'one'])
        await withLease(place.context, { name, limit: 1000 }, async () => void (done += 1));
    });
    expect([done, said('leases do not work')]).toEqual([3, 1]);
  });

  test('jobs that all fail are told once', async () => {
    await broken('grants', async () => {
      for (let round = 0; round < 3; round += 1) {
        await startJobs(place.context)();
        await until(() => said('a job failed') > 0);
        await place.context.flights.close();
      }
    });
    expect(said('a job failed')).toBe(1);
  });
});
