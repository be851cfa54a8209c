/**
 * Entry of the child process. The parent sends `{ type: 'start', settings }` and gets `{ type: 'ready', url, demo }` or
 * `{ type: 'failed', message }`. Secrets travel over IPC alone: process lists and environments do not show IPC
 * messages.
 */
import { loadPart } from '../shared/load-part.ts';
import { installLastResort } from '../shared/log/last-resort.ts';
import { takeLibraryLines } from '../shared/log/library-lines.ts';
import { createLogger } from '../shared/log/logger.ts';
import type { ModernServer } from './server.ts';
import type { ModernSettings } from './settings.ts';
// Here as well as in provider/oidc.ts: in the joined program packages from outside are loaded before its own modules.
// oxlint-disable-next-line import/no-unassigned-import -- wanted for its effect
import './provider/oidc-warnings.ts';

interface StartMessage {
  type: 'start';
  settings: ModernSettings;
}

let running: Promise<ModernServer> | undefined;

async function start(settings: ModernSettings): Promise<void> {
  try {
    const logger = createLogger({ level: settings.logLevel, name: 'modern' });
    installLastResort({ logger, drain: end });
    takeLibraryLines(logger);
    const loaded = loadPart('The embedded new API', () => import('./server.ts'));
    running = loaded.then(({ startModern }) => startModern(settings, logger));
    const { url, demo } = await running;
    process.send?.({ type: 'ready', url, demo });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.send?.({ type: 'failed', message }, () => process.exit(1));
  }
}

async function end(): Promise<void> {
  const server = await running?.catch(() => undefined);
  await server?.close();
}

async function stop(): Promise<void> {
  await end();
  process.exit();
}

process.once('message', (message: StartMessage) => void start(message.settings));
process.once('disconnect', () => void stop());
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => void stop());
