import { shortenStop } from '../../../src/domain/grants/refresh/stop/shorten-stop.ts';
import { BREAKER_LOOKS_BACK, BREAKER_PAUSE, SILENT_AFTER } from '../../../src/shared/lifetimes.ts';
import { holdAnswer, until } from '../../support/servers/held-answer.ts';
import { badGateway, type Outage, startOutage } from './support/outage.ts';

/**
 * Five lost answers take a dozen seconds, so a silence may end before the stop that it caused is looked at. It counts
 * where it was seen while the answers stayed away.
 */

let outage: Outage;
/** Those that no test has used yet. */
let fresh: string[];

beforeAll(async () => {
  outage = await startOutage(60);
  fresh = [...outage.grantIds];
});

afterAll(() => outage.stop());

const take = (count: number) => fresh.splice(0, count);

const look = () => shortenStop(outage.context());

/** A look that finds the server silent, which then answers again. */
async function lookInSilence(): Promise<void> {
  outage.setSilent(true);
  await look();
  outage.setSilent(false);
}

/** The server answers, and a silence from before counts: one refresh may be tried at once. */
async function expectShortened(): Promise<void> {
  expect(await outage.isStopped()).toBe(true);
  await look();
  expect(await outage.isStopped()).toBe(false);
}

/** The server answers, and no silence counts. */
async function expectWholePause(): Promise<void> {
  expect(await outage.isStopped()).toBe(true);
  for (let number = 0; number < 3; number += 1) await look();
  expect(await outage.isStopped()).toBe(true);
}

async function lose(count: number): Promise<void> {
  outage.system.proxy.onTokenAnswer = () => badGateway;
  expect(await Promise.all(take(count).map(outage.isServed))).not.toContain(true);
  outage.system.proxy.onTokenAnswer = undefined;
}

/** The stop ends by its first attempt after the pause. */
async function endStop(): Promise<void> {
  outage.clock.advance(BREAKER_PAUSE);
  expect(await outage.isStopped()).toBe(false);
  expect(await Promise.all(take(1).map(outage.isServed))).toEqual([true]);
  // A good answer counts after those that were lost, not at the same instant.
  outage.clock.advance(1);
}

test('a silence while the answers are late shortens the stop that follows, and no pause after it', async () => {
  const waiting: (() => void)[] = [];
  outage.system.proxy.onTokenAnswer = () => new Promise((done) => waiting.push(() => done(badGateway)));
  const calls = take(5).map(outage.isServed);
  await until(() => waiting.length === 5);
  outage.clock.advance(SILENT_AFTER);
  await lookInSilence();
  await look();
  for (const end of waiting) end();
  expect(await Promise.all(calls)).not.toContain(true);
  await expectShortened();
  await lose(1);
  await expectWholePause();
  outage.clock.advance(BREAKER_PAUSE);
  await endStop();
});

test('a silence before a good answer shortens no later stop', async () => {
  await lose(1);
  outage.clock.advance(1);
  await lookInSilence();
  outage.clock.advance(1);
  expect(await Promise.all(take(1).map(outage.isServed))).toEqual([true]);
  outage.clock.advance(1);
  await lose(5);
  await expectWholePause();
  await endStop();
});

test('a silence after some answers were lost counts too', async () => {
  await lose(3);
  outage.clock.advance(1);
  await lookInSilence();
  await lose(2);
  await expectShortened();
  await endStop();
});

test('a silence that lasts into the next attempt counts for the pause after that', async () => {
  await lose(5);
  outage.clock.advance(BREAKER_PAUSE - 1);
  outage.setSilent(true);
  const held = holdAnswer(outage.system.proxy, 'onOtherAnswer');
  const looking = look();
  await until(() => held.answer !== undefined);
  outage.setSilent(false);
  outage.clock.advance(1);
  await lose(1);
  held.release();
  await looking;
  outage.system.proxy.onOtherAnswer = undefined;
  await expectShortened();
  await endStop();
});

test('a server that comes and goes, and loses each answer, shortens five pauses in a quarter of an hour', async () => {
  await lose(5);
  for (let lost = 0; lost < 5; lost += 1) {
    outage.clock.advance(1);
    await lookInSilence();
    await expectShortened();
    await lose(1);
  }
  await lookInSilence();
  await expectWholePause();
  outage.clock.advance(BREAKER_LOOKS_BACK);
  await lose(1);
  await lookInSilence();
  await expectShortened();
  await endStop();
});

test('a silence while no answer is away is not looked for', async () => {
  await lookInSilence();
  await lose(5);
  await expectWholePause();
});
