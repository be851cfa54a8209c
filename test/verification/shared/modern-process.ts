import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ModernSettings } from '../../../src/modern/settings.ts';
import type { Person } from '../../support/callers/authorize.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';

/** The embedded modern generation as the product starts it: a process of its own, with its settings over IPC. */
export interface ModernProcess {
  person: Person;
  pid: number;
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

/** Where it listens, where others see it, and the port of the bridge to which consents return. */
interface ModernPorts {
  modern: number;
  network: number;
  bridge: number;
}

interface ModernOptions {
  /** Makes the bridge a confidential client, so that introspection answers it. */
  clientSecret: string | undefined;
  accessTokenSeconds?: number;
}

/** Its settings, with the bridge as its one client. */
export function modernSettings(
  { modern, network, bridge }: ModernPorts,
  folder: string,
  { clientSecret, accessTokenSeconds = 3600 }: ModernOptions,
): ModernSettings {
  const client = {
    clientId: BRIDGE_CLIENT,
    name: 'grantbridge',
    redirectUris: [`http://127.0.0.1:${bridge}/callback`],
  };
  return {
    host: '127.0.0.1',
    port: modern,
    issuer: `http://127.0.0.1:${network}`,
    databaseFile: join(folder, 'modern.db'),
    accessTokenSeconds,
    logLevel: 'error',
    clients: [{ ...client, ...(clientSecret && { clientSecret }) }],
    demo: true,
    mail: { from: 'no-reply@grantbridge.example', directory: join(folder, 'mail') },
  };
}

/** Starts it from a copied build. */
export async function startModernProcess(folder: string, settings: ModernSettings): Promise<ModernProcess> {
  const child = fork(join(folder, 'dist/modern/main.js'), [], { env: { PATH: '' }, cwd: folder });
  child.send({ type: 'start', settings });
  const { type, message, demo } = await answerOf(child);
  if (type !== 'ready' || !demo) throw new Error(`the modern side does not start: ${message}`);
  return {
    person: { login: demo.email, password: demo.password },
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
