import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import { SECOND } from '../lifetimes.ts';
import { madeOnce } from '../memory/made-once.ts';

/**
 * Sits between the logger and the stream of the log lines. A log that cannot be written never ends the process and
 * never fills its memory: a line without room, or a line whose write fails, is counted and dropped. The count is logged
 * as soon as the stream takes lines again. Callers of the logger never wait and never learn of a failure.
 */

/** Bytes that may wait in memory for a stalled reader. */
const WAITING_MAX = 1024 * 1024;

/** How often the count is tried again when no other line is logged. */
const TRY_AGAIN = 1 * SECOND;

interface Losses {
  lines: number;
  /** When the first line was dropped, in Unix milliseconds. */
  since: number;
}

const NO_LOSSES: Readonly<Losses> = { lines: 0, since: Number.POSITIVE_INFINITY };

function ignore(): void {
  // The callback of each write counts the failure.
}

/** The name of the machine that writes. Where the lines of several machines come together, nothing else tells them apart. */
export const LOG_HOST = hostname();

/** One JSON object a line, like all lines of the log. The empty line ends a line that a full disk cut off. */
function lossesLine({ lines, since }: Losses, name: string): string {
  const line = {
    level: 'error',
    message: `${lines} log lines could not be written since ${new Date(since).toISOString()}`,
    process: name,
    host: LOG_HOST,
    timestamp: new Date().toISOString(),
  };
  return `\n${JSON.stringify(line)}\n`;
}

class LogSink extends Writable {
  readonly #target: NodeJS.WritableStream;
  readonly #name: string;
  #losses: Readonly<Losses> = NO_LOSSES;
  #willTryAgain = false;

  constructor(target: NodeJS.WritableStream, name: string) {
    super({ decodeStrings: false });
    this.#target = target;
    this.#name = name;
    surviveFailures(target);
  }

  /** Always completes at once, so that no lines gather between the logger and this sink. */
  override _write(line: string, _encoding: string, done: () => void): void {
    if (this.#hasRoom()) this.#send(line);
    else this.#lose({ lines: 1, since: Date.now() });
    done();
  }

  #hasRoom(): boolean {
    return (this.#target as Writable).writableLength < WAITING_MAX;
  }

  /** Writes the count of lost lines together with the line, so that no loss is counted twice. */
  #send(line: string): void {
    const told = this.#losses;
    this.#losses = NO_LOSSES;
    const text = told.lines > 0 ? lossesLine(told, this.#name) + line : line;
    const lost = { lines: told.lines + (line ? 1 : 0), since: Math.min(told.since, Date.now()) };
    try {
      this.#target.write(text, (error) => (error ? this.#lose(lost) : undefined));
    } catch {
      this.#lose(lost);
    }
  }

  #lose({ lines, since }: Losses): void {
    this.#losses = { lines: this.#losses.lines + lines, since: Math.min(this.#losses.since, since) };
    if (this.#willTryAgain) return;
    this.#willTryAgain = true;
    setTimeout(() => this.#tryAgain(), TRY_AGAIN).unref();
  }

  #tryAgain(): void {
    this.#willTryAgain = false;
    if (this.#losses.lines === 0) return;
    if (this.#hasRoom()) this.#send('');
    else this.#lose(NO_LOSSES);
  }
}

const surviving = new WeakSet<NodeJS.WritableStream>();

/** Keeps a failure of a stream from ending the process: a reader that went away, a full disk. */
export function surviveFailures(stream: NodeJS.WritableStream): void {
  if (surviving.has(stream)) return;
  surviving.add(stream);
  stream.on('error', ignore);
}

const sinks = new WeakMap<NodeJS.WritableStream, LogSink>();

/**
 * The one sink before a stream; `name` says which process writes. All loggers of a stream share the sink and its count.
 */
export function sinkOf(stream: NodeJS.WritableStream, name: string): Writable {
  return madeOnce(sinks, stream, () => new LogSink(stream, name));
}
