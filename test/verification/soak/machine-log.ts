import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** What a machine says: kept in a file, and counted. */
export interface MachineLog {
  file: string;
  /** Takes what one stream says. */
  follow(stream: Readable): void;
  /** How often it has said that it serves. */
  starts: number;
  /** How many starts failed, as they may while the database is away. */
  failedStarts: number;
  /** Warnings and errors, by level and message. */
  counts: Map<string, number>;
  /** These processes are about to be killed. */
  expectEnds(pids: readonly number[]): void;
  /** Process ids of workers that ended although nobody killed them. */
  unexpectedEnds(): number[];
  /** The last lines. */
  tail(): string;
  close(): Promise<void>;
}

const SERVES = 'Stop with Ctrl-C';
const WORKER_ENDED = 'a worker ended unexpectedly, the first process starts another one';
const TAIL = 4000;

interface Line {
  level?: string;
  message?: string;
  pid?: number;
}

function parsed(line: string): Line {
  try {
    return line.startsWith('{') ? (JSON.parse(line) as Line) : {};
  } catch {
    return {};
  }
}

/** Keeps what is written in a file. */
export function keepLog(file: string): MachineLog {
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  const killed = new Set<number>();
  const ended: number[] = [];
  let last = '';

  function keep(line: string): void {
    stream.write(`${line}\n`);
    last = `${last}${line}\n`.slice(-TAIL);
    if (line.includes(SERVES)) log.starts += 1;
    const { level, message = '', pid } = parsed(line);
    if (message === WORKER_ENDED && pid !== undefined) ended.push(pid);
    if (level !== 'warn' && level !== 'error') return;
    const name = `${level}: ${message}`;
    log.counts.set(name, (log.counts.get(name) ?? 0) + 1);
  }

  const log: MachineLog = {
    file,
    starts: 0,
    failedStarts: 0,
    counts: new Map(),
    follow(source) {
      let rest = '';
      source.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) keep(line);
      });
    },
    expectEnds: (pids) => pids.forEach((pid) => killed.add(pid)),
    unexpectedEnds: () => ended.filter((pid) => !killed.has(pid)),
    tail: () => last,
    close: () => new Promise((resolve) => stream.end(() => resolve())),
  };
  return log;
}

/** What a token is made of; in a log it may stand between any other characters. */
const WORD = /[\w-]{16,}/g;

const longestWord = (secret: string) =>
  (secret.match(WORD) ?? []).toSorted((one, other) => other.length - one.length)[0];

/** The lines of a file in which a secret stands; only the beginning of the secret is left in them. */
export async function leaksIn(file: string, secrets: Iterable<string>): Promise<string[]> {
  const words = new Set([...secrets].flatMap((secret) => longestWord(secret) ?? []));
  const leaks: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const found = (line.match(WORD) ?? []).filter((word) => words.has(word));
    if (found.length > 0)
      leaks.push(found.reduce((left, word) => left.replaceAll(word, `${word.slice(0, 4)}…`), line));
  }
  return leaks;
}
