import { loadPart } from '../shared/load-part.ts';
import { installLastResort } from '../shared/log/last-resort.ts';
import { takeLibraryLines } from '../shared/log/library-lines.ts';
import { createLogger } from '../shared/log/logger.ts';
import type { Demo } from './integration.ts';
import type { DemoSettings } from './settings.ts';

/** The one message that the starting process sends. */
interface StartMessage {
  type: 'start';
  settings: DemoSettings;
}

let demo: Promise<Demo> | undefined;

function isStartMessage(message: unknown): message is StartMessage {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'start';
}

function answer(message: { type: 'ready'; url: string } | { type: 'failed'; message: string }): void {
  if (process.connected) process.send?.(message);
}

async function start(settings: DemoSettings): Promise<void> {
  const logger = createLogger({ level: settings.logLevel, name: 'demo' });
  installLastResort({ logger, drain: stop });
  takeLibraryLines(logger);
  try {
    const loaded = loadPart('The demo integration', () => import('./integration.ts'));
    demo = loaded.then(({ startDemo }) => startDemo(settings, logger));
    answer({ type: 'ready', url: (await demo).url });
  } catch (error) {
    answer({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    if (process.connected) process.disconnect();
  }
}

async function stop(): Promise<void> {
  const running = await demo?.catch(() => undefined);
  await running?.close();
  if (process.connected) process.disconnect();
}

process.on('message', (message) => {
  if (isStartMessage(message) && !demo) void start(message.settings);
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect'] as const)
  process.once(signal, () => void stop());
if (!process.send) {
  process.stderr.write('The demo integration is started by npm start, not by hand.\n');
  process.exitCode = 1;
}
