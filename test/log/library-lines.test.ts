import { PassThrough } from 'node:stream';
import { schedule } from 'node-cron';
import { cronLines } from '../../src/jobs/cron-lines.ts';
import { takeLibraryLines } from '../../src/shared/log/library-lines.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { until } from '../support/servers/held-answer.ts';

/**
 * What libraries print is a line of the log, and holds no secret. Warnings of Node, which jest keeps for itself, are in
 * `processes/start/library-lines.full.test.ts`.
 */

type Line = Record<string, unknown>;

function listen() {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (part: Buffer) => (text += part.toString()));
  const logger = createLogger({ level: 'debug', name: 'test', stream });
  const lines = () =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  return { logger, lines };
}

const METHODS = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const;
const originals = METHODS.map((method) => [method, console[method]] as const);

afterEach(() => {
  for (const [method, original] of originals) Reflect.set(console, method, original);
});

const TOKEN = `1/${'5ec2e7'.repeat(5)}ab`;

test('whatever is printed to the console is a line with its level, redacted', () => {
  const { logger, lines } = listen();
  takeLibraryLines(logger);
  console.warn('%s tried %d times', 'somebody', 3, { access_token: TOKEN });
  console.error(new Error(`failed with ${TOKEN}`));
  console.info('\u001B[36mcoloured\u001B[0m\nsecond line');
  expect(lines().map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'a library printed'],
    ['error', 'a library printed'],
    ['info', 'a library printed'],
  ]);
  expect(lines()[0]?.['text']).toContain('somebody tried 3 times');
  expect(JSON.stringify(lines())).not.toContain(TOKEN.slice(2));
});

test('a turn that a job had not is a line of node-cron with the name of the job', async () => {
  const { logger, lines } = listen();
  const never = new Promise<void>(() => undefined);
  const options = { name: 'slow', noOverlap: true, logger: cronLines(logger, 'slow') };
  const task = schedule('* * * * * *', () => never, options);
  await until(() => lines().some(({ message }) => message === 'a job had no turn'));
  await task.destroy();
  expect(lines().find(({ level }) => level === 'warn')).toMatchObject({
    task: 'slow',
    turns: expect.any(Number),
    text: expect.any(String),
  });
});

test('the turns that a job missed in hours of sleep are one line', async () => {
  const { logger, lines } = listen();
  const slots = cronLines(logger, 'asleep');
  for (let slot = 0; slot < 5000; slot += 1) slots.warn(`missed execution at ${slot}!`);
  await until(() => lines().length > 0);
  slots.warn('missed execution later!');
  await until(() => lines().length > 1);
  expect(lines()).toMatchObject([
    { task: 'asleep', turns: 5000, text: 'missed execution at 4999!' },
    { task: 'asleep', turns: 1, text: 'missed execution later!' },
  ]);
});
