import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ModernSettings } from '../../../src/modern/settings.ts';
import type { Person } from '../../support/callers/authorize.ts';

/** The embedded modern generation as the product starts it: a process of its own, with its settings over IPC. */
export interface ModernProcess {
  person: Person;
  stop(): Promise<void>;
}

interface Ready {
  type: string;
  message?: string;
  demo?: { email: string; password: string };
}

async function answerOf(child: ChildProcess): Promise<Ready> {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the modern side ended with ${code} before it was ready`);
  });
  return Promise.race([once(child, 'message').then(([message]) => message as Ready), exited]);
}

/** Starts it from a copied build. */
export async function startModernProcess(folder: string, settings: ModernSettings): Promise<ModernProcess> {
  const child = fork(join(folder, 'dist/modern/main.js'), [], { env: { PATH: '' }, cwd: folder });
  child.send({ type: 'start', settings });
  const { type, message, demo } = await answerOf(child);
  if (type !== 'ready' || !demo) throw new Error(`the modern side does not start: ${message}`);
  return {
    person: { login: demo.email, password: demo.password },
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
