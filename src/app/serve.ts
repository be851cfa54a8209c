import { type Config, readConfig } from '../config/config.ts';
import { installLastResort, STOP_TAKES } from '../shared/log/last-resort.ts';
import { takeLibraryLines } from '../shared/log/library-lines.ts';
import { surviveFailures } from '../shared/log/log-sink.ts';
import { SECOND } from '../shared/lifetimes.ts';
import { createLogger, type Logger } from '../shared/log/logger.ts';
import { reduceError } from '../shared/log/redaction.ts';
import { markUncleanEnd } from '../store/files/unclean-end.ts';
import { startSystem, type System } from './system.ts';
import { welcomeText } from './welcome.ts';

/**
 * The text for a person who stops the process. Without this text, a draining process looks as if it ignored the signal.
 */
function stoppingText({ drain }: Config): string {
  if (drain === 0) return 'stopping\n';
  const seconds = drain / SECOND;
  return `stopping: calls are accepted for ${seconds} more ${seconds === 1 ? 'second' : 'seconds'}\n`;
}

/** Writes the text once: people often press Ctrl-C more than once. */
function sayOnce(text: string): () => void {
  let isSaid = false;
  return () => {
    if (!isSaid) process.stdout.write(text);
    isSaid = true;
  };
}

/**
 * Ends the process once the system has drained. An uncaught error, before or during the drain, makes the exit code 1.
 */
function createStop(system: System, config: Config, logger: Logger): (code: number) => void {
  const begin = sayOnce(stoppingText(config));
  return (code) => {
    begin();
    system.close().then(
      () => {
        process.stdout.write('stopped\n');
        process.exit(process.exitCode ?? code);
      },
      (error: unknown) => {
        logger.error('the stop failed', { error });
        process.exit(1);
      },
    );
  };
}

function surviveErrors(config: Config, running: { system?: System }, logger: Logger): void {
  surviveFailures(process.stdout);
  const drain = async () => running.system?.close({ isFailing: true });
  const mark = () => markUncleanEnd(config.varDir);
  installLastResort({ logger, mark, drain, limit: config.drain + STOP_TAKES });
  takeLibraryLines(logger);
}

/**
 * Runs the whole process. A failed start ends the process with exit code 1, even when some parts are already open: a
 * supervisor takes a living process for one that serves.
 */
export async function serveOrExit(): Promise<void> {
  try {
    await serve();
  } catch (error) {
    process.stderr.write(`${reduceError(error).message}\n`);
    process.exit(1);
  }
}

/**
 * SIGHUP comes from a closed terminal and stops the process with a drain, like the others. No signal reloads settings.
 */
const STOPS_BY = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Runs the system until one of these signals. When one part ends by itself, the process ends, so that a supervisor sees
 * it.
 */
async function serve(): Promise<void> {
  const config = readConfig();
  const running: { system?: System } = {};
  const name = config.workers > 1 ? 'first process' : 'bridge';
  const logger = createLogger({ level: config.logLevel, name });
  surviveErrors(config, running, logger);
  const system = await startSystem(config, logger);
  running.system = system;
  const stop = createStop(system, config, logger);
  for (const signal of STOPS_BY) process.on(signal, () => stop(0));
  system.onUnexpectedEnd((part) => {
    logger.error('a part of the system ended unexpectedly, the process stops', { part });
    stop(1);
  });
  process.stdout.write(await welcomeText(config, system));
}
