import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModern } from '../../../src/modern/server.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { BRIDGE_CLIENT, type ModernSide, type ModernSideOptions } from './modern-side.ts';
import { hashQuickly } from '../jest/quick-passwords.ts';

/** The embedded modern generation in this process, with its demo account and a database of its own. */
export async function startEmbeddedModern(options: ModernSideOptions): Promise<ModernSide> {
  const folder = mkdtempSync(join(tmpdir(), 'modern-'));
  const settings = {
    host: '127.0.0.1',
    port: options.port,
    issuer: options.issuer,
    databaseFile: join(folder, 'modern.db'),
    accessTokenSeconds: options.accessTokenSeconds,
    logLevel: 'error',
    mail: { from: 'no-reply@modern.example', directory: join(folder, 'mail') },
    clients: [
      {
        clientId: BRIDGE_CLIENT,
        name: 'grantbridge',
        redirectUris: [options.redirectUri],
        remembersSignIn: true,
        ...(options.clientSecret && { clientSecret: options.clientSecret }),
      },
      ...(options.ownClients ?? []).map(({ ofApp, ...client }) => ({
        ...client,
        redirectUris: [ofApp === undefined ? options.redirectUri : `${options.redirectUri}/${ofApp}`],
      })),
    ],
    demo: true,
  };
  const modern = await startModern(settings, createLogger({ level: 'error', name: 'modern' }));
  hashQuickly(settings.databaseFile);
  const { email, password } = modern.demo ?? {};
  if (email === undefined || password === undefined) throw new Error('nobody can sign in to the demo');
  return {
    url: `http://127.0.0.1:${options.port}`,
    person: { login: email, password },
    async close() {
      await modern.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
