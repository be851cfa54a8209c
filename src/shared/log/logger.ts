import { createLogger as createWinston, format, type Logger, transports } from 'winston';
import { sinkOf } from './log-sink.ts';
import { isErrorLike, redactValue } from './redaction.ts';

export type { Logger } from 'winston';

export interface LoggerOptions {
  level: string;
  /** Which process writes: `bridge`, `modern`, `demo`, `command`. */
  name: string;
  /** Where the lines go; standard error unless given, so that standard output stays readable for people. */
  stream?: NodeJS.WritableStream;
}

/** Where winston keeps the level that it filters by, and the arguments as they were given. */
const LEVEL = Symbol.for('level');
const SPLAT = Symbol.for('splat');

/**
 * A new line object, so that nothing of the caller's is left in it. An error that was given in place of fields is
 * reduced as one: the library would copy everything that hangs on it.
 */
const redacted = format((info) => {
  const given = (info[SPLAT] as unknown[] | undefined)?.[0];
  const error = [given, info].find(isErrorLike);
  const fields = error ? { error, message: info.message, process: info['process'] } : info;
  const clean = redactValue({ ...fields }) as typeof info;
  return { ...clean, level: info.level, [LEVEL]: info[LEVEL] };
});

/**
 * One JSON object a line: `timestamp`, `level`, `process`, `message` and the caller's fields, all redacted. A line that
 * cannot be written is counted, and harms nobody (`log-sink.ts`).
 */
export function createLogger({ level, name, stream }: LoggerOptions): Logger {
  return createWinston({
    level,
    defaultMeta: { process: name },
    format: format.combine(redacted(), format.timestamp(), format.json()),
    transports: [new transports.Stream({ stream: sinkOf(stream ?? process.stderr, name) })],
  });
}
