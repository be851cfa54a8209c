import { createQueueForecast } from '../../src/store/driver/queue-forecast.ts';

/** How long work would wait in a queue, foretold by what waits and by how fast the queue is: pure, so by a time of its own. */

function createQueue() {
  const queue = { waiting: 0, served: 0 };
  const forecast = createQueueForecast({ waiting: () => queue.waiting, served: () => queue.served }, 0);
  return { queue, forecast };
}

test('a queue in which nothing waits costs no time, whatever was served', () => {
  const { queue, forecast } = createQueue();
  expect(forecast(25)).toBe(0);
  queue.served = 1000;
  expect(forecast(50)).toBe(0);
});

test('the wait is what the queue takes for all before, as soon as they stand there', () => {
  const { queue, forecast } = createQueue();
  queue.served = 100;
  forecast(50);
  queue.waiting = 200;
  expect(forecast(51)).toBe(100);
  queue.waiting = 20;
  expect(forecast(52)).toBe(10);
});

test('a queue that is faster or slower than before is foretold by its rate of late', () => {
  const { queue, forecast } = createQueue();
  queue.served = 100;
  forecast(1000);
  queue.served = 150;
  queue.waiting = 100;
  expect(forecast(1025)).toBe(50);
  queue.served = 155;
  expect(forecast(1050)).toBe(500);
});

test('where nobody leaves the queue, the wait is as long as that lasts', () => {
  const { queue, forecast } = createQueue();
  queue.served = 5;
  queue.waiting = 1;
  forecast(100);
  expect(forecast(125)).toBe(25);
  expect(forecast(1125)).toBe(1025);
  queue.served = 6;
  expect(forecast(1150)).toBe(25);
});
