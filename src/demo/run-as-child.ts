import { installLastResort } from '../shared/log/last-resort.ts';
import { takeLibraryLines } from '../shared/log/library-lines.ts';
import { createLogger, type Logger } from '../shared/log/logger.ts';

/** A part of the demo that runs in a process of its own. */
interface ChildPart<Settings> {
  /** In its log lines. */
  logName: string;
  /** What a person reads who starts it by hand. */
  notByHand: string;
  start(settings: Settings, logger: Logger): Promise<{ close(): Promise<void> }>;
}

/** The one message that the starting process sends. */
interface StartMessage<Settings> {
  type: 'start';
  settings: Settings;
}

function isStartMessage<Settings>(message: unknown): message is StartMessage<Settings> {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'start';
}

function answer(message: { type: 'ready' } | { type: 'failed'; message: string }): void {
  if (process.connected) process.send?.(message);
}

/** Waits for the settings from the starting process, runs the part, and stops it with a signal or with its parent. */
export function runAsChild<Settings extends { logLevel: string }>(part: ChildPart<Settings>): void {
  let running: ReturnType<typeof part.start> | undefined;

  async function stop(): Promise<void> {
    const started = await running?.catch(() => undefined);
    await started?.close();
    if (process.connected) process.disconnect();
  }

  async function start(settings: Settings): Promise<void> {
    const logger = createLogger({ level: settings.logLevel, name: part.logName });
    installLastResort({ logger, drain: stop });
    takeLibraryLines(logger);
    try {
      running = part.start(settings, logger);
      await running;
      answer({ type: 'ready' });
    } catch (error) {
      answer({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
      process.exitCode = 1;
      if (process.connected) process.disconnect();
    }
  }

  process.on('message', (message) => {
    if (isStartMessage<Settings>(message) && !running) void start(message.settings);
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect'] as const)
    process.once(signal, () => void stop());
  if (process.send) return;
  process.stderr.write(`${part.notByHand}\n`);
  process.exitCode = 1;
}
