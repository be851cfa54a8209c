import { type Config, readConfig } from '../config/config.ts';
import { installLastResort, STOP_TAKES } from '../shared/log/last-resort.ts';
import { surviveFailures } from '../shared/log/log-sink.ts';
import { SECOND } from '../shared/lifetimes.ts';
import { createLogger } from '../shared/log/logger.ts';
import { reduceError } from '../shared/log/redaction.ts';
import { startSystem, type System } from './system.ts';
import { welcomeText } from './welcome.ts';

/** What a person who stops it is told; without it a drain looks as if nothing happened. */
function stoppingText({ drain }: Config): string {
  if (drain === 0) return 'stopping\n';
  const seconds = drain / SECOND;
  return `stopping: calls are accepted for ${seconds} more ${seconds === 1 ? 'second' : 'seconds'}\n`;
}

/** Ctrl-C is often pressed more than once. */
function sayOnce(text: string): () => void {
  let isSaid = false;
  return () => {
    if (!isSaid) process.stdout.write(text);
    isSaid = true;
  };
}

/** Ends the process once the system has drained; an error that nobody caught before or meanwhile makes the code 1. */
function createStop(system: System, config: Config): (code: number) => void {
  const logger = createLogger({ level: config.logLevel, name: 'bridge' });
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

function surviveErrors(config: Config, running: { system?: System }): void {
  const logger = createLogger({ level: config.logLevel, name: 'bridge' });
  surviveFailures(process.stdout);
  const drain = async () => running.system?.close({ isFailing: true });
  installLastResort({ logger, drain, limit: config.drain + STOP_TAKES });
}

/**
 * The same as a whole process: a start that fails ends it with 1, whatever was open by then. A supervisor sees a process
 * that lives as one that serves.
 */
export async function serveOrExit(): Promise<void> {
  try {
    await serve();
  } catch (error) {
    process.stderr.write(`${reduceError(error).message}\n`);
    process.exit(1);
  }
}

/** SIGHUP comes from a terminal that is closed: what was accepted is not cut for it. Nothing is read anew by a signal. */
const STOPS_BY = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Runs the system until one of these signals; a part that ends by itself ends the whole, for a supervisor to see. */
async function serve(): Promise<void> {
  const config = readConfig();
  const running: { system?: System } = {};
  surviveErrors(config, running);
  const system = await startSystem(config);
  running.system = system;
  const stop = createStop(system, config);
  for (const signal of STOPS_BY) process.on(signal, () => stop(0));
  system.onUnexpectedEnd((part) => {
    process.stderr.write(`${part} ended unexpectedly, stopping.\n`);
    stop(1);
  });
  process.stdout.write(welcomeText(config, system));
}
