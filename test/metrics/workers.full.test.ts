import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { tokenOf } from '../support/callers/legacy-calls.ts';
import { until } from '../support/servers/held-answer.ts';
import { canReadProcesses, workersOf } from '../processes/start/process-list.ts';
import { buildProgram } from '../processes/running-program.ts';
import { readProfiles, tokenFromCodePage } from '../processes/walks.ts';
import { choosePlace, type Place, startWholeSystem, type WholeSystem } from '../processes/whole-system.ts';
import { type Sample, scrape, sumOf } from './support/scrape.ts';

/** `/metrics` of a machine with two workers: whichever worker is asked tells of both. */

let place: Place;
let system: WholeSystem;
let token: string;

beforeAll(async () => {
  await buildProgram();
  place = await choosePlace();
  system = await startWholeSystem({ ...place.settings, WORKERS: '2', LEGACY_RATE_LIMIT: '0' });
  token = tokenOf(await tokenFromCodePage(system));
}, 180_000);

afterAll(async () => {
  await system.stop();
  place.remove();
});

const CALLS = 60;

const answered = (samples: Sample[]) =>
  sumOf(samples, 'grantbridge_calls_total', { endpoint: 'profiles', outcome: 'answered' });
const durations = (samples: Sample[]) =>
  sumOf(samples, 'grantbridge_call_seconds_count', { endpoint: 'profiles' });
const silent = (samples: Sample[]) => sumOf(samples, 'grantbridge_workers_silent');
const workers = (samples: Sample[]) => sumOf(samples, 'grantbridge_workers');

/** The process ids in the lines that begin so. */
const toldOf = (message: string) =>
  system
    .complaints()
    .split('\n')
    .filter((line) => line.includes(`"message":"${message}`))
    .map((line) => (JSON.parse(line) as { pid?: number }).pid);

const callMany = () => Promise.all(Array.from({ length: CALLS }, () => readProfiles(system, token)));

const describeWithProcesses = canReadProcesses ? describe : describe.skip;

describeWithProcesses('two workers', () => {
  test('every scrape has the calls of both, whichever worker answers', async () => {
    expect((await callMany()).map(({ status }) => status)).toEqual(Array.from({ length: CALLS }, () => 200));
    await until(async () => answered(await scrape(system.bridgeUrl)) === CALLS);
    await until(async () => workers(await scrape(system.bridgeUrl)) === 2);
    const scrapes = await Promise.all(Array.from({ length: 20 }, () => scrape(system.bridgeUrl)));
    // One that is asked by twenty at once on a busy machine may be late: it is told as silent then, and keeps its counts.
    expect(scrapes.map((samples) => workers(samples) + silent(samples))).toEqual(scrapes.map(() => 2));
    expect(scrapes.map(answered)).toEqual(scrapes.map(() => CALLS));
    expect(scrapes.map(durations)).toEqual(scrapes.map(() => CALLS));
  }, 60_000);

  test('what the database knows is not doubled, and neither is a job', async () => {
    const samples = await scrape(system.bridgeUrl);
    expect(sumOf(samples, 'grantbridge_grants', { state: 'ready' })).toBe(1);
    const interval = sumOf(samples, 'grantbridge_job_interval_seconds', { task: 'purge-expired' });
    expect(interval).toBe(3600);
  });

  test('a worker that stands still is told as silent: it keeps its counts and has no gauge', async () => {
    expect(silent(await scrape(system.bridgeUrl))).toBe(0);
    const [first = 0] = workersOf(system.pid);
    process.kill(first, 'SIGSTOP');
    try {
      await until(async () => silent(await scrape(system.bridgeUrl)) === 1);
      const samples = await scrape(system.bridgeUrl);
      expect([workers(samples), answered(samples)]).toEqual([1, CALLS]);
      await until(() => toldOf('a worker does not answer the first process').includes(first));
    } finally {
      process.kill(first, 'SIGCONT');
    }
    await until(async () => silent(await scrape(system.bridgeUrl)) === 0);
    expect(workers(await scrape(system.bridgeUrl))).toBe(2);
  }, 60_000);

  test('a worker that cannot be replaced is told as silent too', async () => {
    const [keys, away] = [join(place.varDir, 'keys.json'), join(place.varDir, 'away.json')];
    const [first = 0] = workersOf(system.pid);
    renameSync(keys, away);
    process.kill(first, 'SIGKILL');
    try {
      await until(() => system.complaints().includes('a worker could not be replaced'));
      const samples = await scrape(system.bridgeUrl);
      expect([workers(samples), silent(samples)]).toEqual([1, 1]);
    } finally {
      renameSync(away, keys);
    }
    await until(async () => workers(await scrape(system.bridgeUrl)) === 2, 40_000);
    expect(silent(await scrape(system.bridgeUrl))).toBe(0);
  }, 90_000);

  test('a worker that dies leaves its counts, and its place is taken', async () => {
    const [first = 0] = workersOf(system.pid);
    process.kill(first, 'SIGKILL');
    await until(() => !workersOf(system.pid).includes(first));
    expect(answered(await scrape(system.bridgeUrl))).toBe(CALLS);
    await until(async () => workers(await scrape(system.bridgeUrl)) === 2, 40_000);
    await callMany();
    await until(async () => answered(await scrape(system.bridgeUrl)) === 2 * CALLS);
  }, 90_000);
});
