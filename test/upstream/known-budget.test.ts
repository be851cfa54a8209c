import { EventEmitter, once } from 'node:events';
import { createBudget } from '../../src/upstream/known-budget.ts';
import type { HttpAnswer } from '../../src/upstream/http-client.ts';

/** What one process knows of the windows of a budget, from answers with their headers. */

const clock = { now: () => 1_000_000 };

const answerOf = (ratelimit: string, policy: string): HttpAnswer => ({
  status: 200,
  headers: { ratelimit, 'ratelimit-policy': policy },
  body: '',
});

const SMALL = answerOf(
  '"100-in-15min";r=90;t=600, "3000-in-30day";r=2;t=2000000',
  '"100-in-15min";q=100;w=900, "3000-in-30day";q=3000;w=2592000',
);
const LARGE = answerOf(
  '"100-in-15min";r=89;t=599, "7500-in-30day";r=4501;t=1999999',
  '"100-in-15min";q=100;w=900, "7500-in-30day";q=7500;w=2592000',
);

const leftIn = (budget: ReturnType<typeof createBudget>) =>
  Object.fromEntries(budget.windows().map(({ name, left }) => [name, left]));

test('after a change of plan the old limit of a window no longer counts', async () => {
  const budget = createBudget(clock);
  await budget.spend(async () => SMALL);
  expect(leftIn(budget)).toEqual({ '100 in 900': 90, '3000 in 2592000': 2 });
  await budget.spend(async () => LARGE);
  expect(leftIn(budget)).toEqual({ '100 in 900': 89, '7500 in 2592000': 4501 });
});

test('an answer of before the change that comes late does not bring the old limit back', async () => {
  const budget = createBudget(clock);
  const held = new EventEmitter();
  const late = budget.spend(async () => {
    await once(held, 'release');
    return SMALL;
  });
  await budget.spend(async () => LARGE);
  held.emit('release');
  await late;
  expect(leftIn(budget)['7500 in 2592000']).toBe(4501);
  expect(leftIn(budget)['3000 in 2592000']).toBeUndefined();
});
