import { createLogger as createWinston, format, type Logger, transports } from 'winston';
import { redactValue } from './redaction.ts';

export type { Logger } from 'winston';

export interface LoggerOptions {
  level: string;
  /** Which process writes: `bridge`, `modern`, `demo`, `command`. */
  name: string;
  /** Where the lines go; standard error unless given, so that standard output stays readable for people. */
  stream?: NodeJS.WritableStream;
}

const redacted = format((info) => {
  for (const [key, value] of Object.entries(info)) {
    if (key !== 'level') Object.assign(info, redactValue({ [key]: value }));
  }
  return info;
});

/** One JSON object a line: `timestamp`, `level`, `process`, `message` and the caller's fields, all redacted. */
export function createLogger({ level, name, stream }: LoggerOptions): Logger {
  return createWinston({
    level,
    defaultMeta: { process: name },
    format: format.combine(redacted(), format.timestamp(), format.json()),
    transports: [new transports.Stream({ stream: stream ?? process.stderr })],
  });
}
