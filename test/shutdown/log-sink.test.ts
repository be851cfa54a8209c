import { EventEmitter } from 'node:events';
import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import { createLogger } from '../../src/shared/log/logger.ts';
import { until } from '../support/servers/held-answer.ts';

/** What becomes of log lines that the stream of the log does not take. */

interface Line {
  level: string;
  message: string;
  process: string;
  timestamp: string;
}

const LOSSES = /^(\d+) log lines could not be written since (\S+)$/;

type Behaviour = 'takes' | 'fails' | 'blocks' | 'throws';

/** Takes lines, refuses them as standard error does on a full disk, or lets them wait as a pipe that nobody reads. */
class Target extends EventEmitter {
  readonly #waiting: Array<() => void> = [];
  readonly #taken: string[] = [];
  #behaviour: Behaviour = 'takes';
  writableLength = 0;

  write(text: string, done: (error?: Error) => void): void {
    if (this.#behaviour === 'throws') throw new Error('thrown');
    this.writableLength += text.length;
    const take = () => {
      this.writableLength -= text.length;
      this.#taken.push(...text.split('\n').filter(Boolean));
      setImmediate(done);
    };
    if (this.#behaviour === 'takes') take();
    else if (this.#behaviour === 'blocks') this.#waiting.push(take);
    else this.#refuse(text, done);
  }

  #refuse(text: string, done: (error?: Error) => void): void {
    this.writableLength -= text.length;
    const error = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    setImmediate(() => {
      done(error);
      this.emit('error', error);
    });
  }

  lines(): Line[] {
    return this.#taken.map((line) => JSON.parse(line) as Line);
  }

  become(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
    if (behaviour === 'takes') for (const take of this.#waiting.splice(0)) take();
  }
}

function createTarget() {
  const target = new Target();
  return {
    stream: target as unknown as Writable,
    lines: () => target.lines(),
    become: (behaviour: Behaviour) => target.become(behaviour),
  };
}

/** How many lines each notice told of, and since when. */
const lossesOf = (lines: Line[]) =>
  lines.flatMap(({ message }) => {
    const [, count, since = ''] = LOSSES.exec(message) ?? [];
    return count === undefined ? [] : [{ count: Number(count), since: Date.parse(since) }];
  });

describe('a log that cannot be written', () => {
  test('lines whose write fails are counted, and told before the next line that is written', async () => {
    const { stream, lines, become } = createTarget();
    const logger = createLogger({ level: 'info', name: 'bridge', stream });
    logger.info('before');
    const failedAt = Date.now();
    become('fails');
    for (let number = 0; number < 7; number += 1) {
      logger.warn('lost', { number });
      // A stream of Node calls back in a later turn.
      await new Promise(setImmediate);
    }
    become('takes');
    logger.info('after');
    expect(lines().map(({ message }) => message)).toEqual([
      'before',
      expect.stringMatching(/^7 log lines could not be written since /),
      'after',
    ]);
    const names = { process: 'bridge', host: hostname() };
    expect(lines()[1]).toMatchObject({ level: 'error', ...names, timestamp: expect.any(String) });
    expect(lossesOf(lines())[0]?.since).toBeGreaterThanOrEqual(failedAt);
  });

  test('they are told also when nothing else is logged any more', async () => {
    const { stream, lines, become } = createTarget();
    const logger = createLogger({ level: 'info', name: 'bridge', stream });
    become('fails');
    logger.info('lost');
    await new Promise(setImmediate);
    become('takes');
    await until(() => lines().length > 0);
    expect(lossesOf(lines())).toMatchObject([{ count: 1 }]);
  });

  test('a reader that reads nothing costs a bounded memory; what came meanwhile is counted', async () => {
    const { stream, lines, become } = createTarget();
    const logger = createLogger({ level: 'info', name: 'bridge', stream });
    become('blocks');
    const written = 20_000;
    const text = 'what happened '.repeat(15).trim();
    for (let number = 0; number < written; number += 1) {
      logger.info(text);
      if (number % 100 === 0) await new Promise(setImmediate);
    }
    expect(stream.writableLength).toBeLessThan(2 * 1024 * 1024);
    become('takes');
    const keptNow = () => lines().filter(({ message }) => message === text).length;
    const lostNow = () => lossesOf(lines()).reduce((sum, { count }) => sum + count, 0);
    await until(() => lostNow() > 0);
    const kept = keptNow();
    expect(kept + lostNow()).toBe(written);
    expect(kept).toBeGreaterThan(1000);
  });

  test('a stream that throws, and one that was destroyed, harm nobody; loggers of one stream share one count', async () => {
    const { stream, lines, become } = createTarget();
    const [one, other] = ['bridge', 'bridge'].map((name) => createLogger({ level: 'info', name, stream }));
    become('throws');
    one?.info('lost');
    other?.info('lost');
    become('takes');
    other?.info('after');
    expect(lossesOf(lines())).toMatchObject([{ count: 2 }]);

    const gone = new Writable({ write: (_chunk, _encoding, done) => done() });
    const logger = createLogger({ level: 'info', name: 'bridge', stream: gone });
    gone.destroy(new Error('the reader went away'));
    for (let number = 0; number < 10; number += 1) {
      logger.error('nobody reads this');
      await new Promise(setImmediate);
    }
  });
});
