import { PassThrough } from 'node:stream';
import { takeLibraryLines } from '../../src/shared/log/library-lines.ts';
import { createLogger } from '../../src/shared/log/logger.ts';

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
