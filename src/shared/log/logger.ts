import { createLogger as createWinston, format, type Logger, transports } from 'winston';
import { LOG_HOST, sinkOf } from './log-sink.ts';
import { isErrorLike, redactValue } from './redaction.ts';

export type { Logger } from 'winston';

export interface LoggerOptions {
  level: string;
  /** Which process writes: `bridge`, `modern`, `demo`, `command`. */
  name: string;
  /** The stream of the lines. Standard error unless given, so that standard output stays readable for people. */
  stream?: NodeJS.WritableStream;
}

/** Winston keeps here the level for filtering, and the original arguments. */
const LEVEL = Symbol.for('level');
const SPLAT = Symbol.for('splat');

/**
 * Builds a new line object, so that no field of the caller survives unredacted. An error in place of the fields is
 * reduced like other errors: the library would copy every property of the error.
 */
const redacted = format((info) => {
  const given = (info[SPLAT] as unknown[] | undefined)?.[0];
  const error = [given, info].find(isErrorLike);
  const fields = error ? { error, message: info.message, process: info['process'] } : info;
  const clean = redactValue({ ...fields }) as typeof info;
  // The name of a machine may be as long as a secret, and no caller writes it.
  return { ...clean, host: LOG_HOST, level: info.level, [LEVEL]: info[LEVEL] };
});

/**
 * One JSON object a line: `timestamp`, `level`, `process`, `host`, `message` and the caller's fields, all redacted. A line that
 * cannot be written is counted and does no harm (`log-sink.ts`).
 */
export function createLogger({ level, name, stream }: LoggerOptions): Logger {
  return createWinston({
    level,
    defaultMeta: { process: name },
    format: format.combine(redacted(), format.timestamp(), format.json()),
    transports: [new transports.Stream({ stream: sinkOf(stream ?? process.stderr, name) })],
  });
}
