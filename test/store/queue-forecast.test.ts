import { createQueueForecast } from '../../src/store/driver/queue-forecast.ts';

/** How long work would wait in a queue, foretold by what waits and by how fast it is left: pure, so by a time of its own. */

function createQueue() {
  const queue = { waiting: 0, served: 0 };
  const forecast = createQueueForecast({ waiting: () => queue.waiting, served: () => queue.served });
  /** What is foretold at this time, after so many have left and with so many in the queue. */
  const at = (now: number, [served, waiting]: [number, number]) => {
    Object.assign(queue, { served, waiting });
    return forecast(now);
  };
  return at;
}

test('a queue in which nothing waits costs no time, whatever was served', () => {
  const at = createQueue();
  expect(at(25, [0, 0])).toBe(0);
  expect(at(50, [1000, 0])).toBe(0);
});

test('the wait is what the queue takes for all before, as soon as they stand there', () => {
  const at = createQueue();
  at(0, [0, 10]);
  expect(at(50, [100, 200])).toBe(100);
  expect(at(51, [100, 20])).toBe(10);
});

test('a queue that is left faster or slower than before is foretold by how it was left last', () => {
  const at = createQueue();
  at(0, [0, 10]);
  at(1000, [100, 10]);
  expect(at(1025, [150, 100])).toBe(50);
  expect(at(1075, [160, 100])).toBe(500);
});

test('a queue that few leave is foretold over a longer time, and each look in between says the same', () => {
  const at = createQueue();
  at(0, [0, 60]);
  const looks = Array.from({ length: 40 }, (_, n) => (n + 1) * 25);
  const told = looks.map((now) => at(now, [10 * Math.floor(now / 100), 60]));
  expect(told.slice(0, 3)).toEqual([0, 0, 0]);
  expect(Math.min(...told.slice(3))).toBe(600);
  expect(Math.max(...told)).toBe(600);
});

test('how fast calls pass that did not wait says nothing of a queue', () => {
  const at = createQueue();
  at(0, [0, 0]);
  at(25, [1000, 0]);
  expect(at(50, [2000, 300])).toBe(0);
  expect(at(75, [2025, 300])).toBe(300);
});

test('after a rest a queue is foretold at once, by how it was left when it stood last', () => {
  const at = createQueue();
  at(0, [0, 10]);
  expect(at(100, [100, 10])).toBe(10);
  at(125, [200, 0]);
  expect(at(60_000, [300, 300])).toBe(300);
  expect(at(60_025, [305, 295])).toBe(295 * 5);
});
