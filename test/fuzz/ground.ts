import { readdirSync, readFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { registerApp } from '../../src/domain/apps/register-app.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { openContext, type OpenContext } from '../../src/app/open-context.ts';
import type { LegacyApp, Person } from '../support/callers/authorize.ts';
import { type BridgeProcess, startBridgeProcess } from '../support/bridge/bridge-process.ts';
import { startEmbeddedModern } from '../support/servers/embedded-modern.ts';
import { freePort } from '../support/servers/free-port.ts';
import { BRIDGE_CLIENT } from '../support/servers/modern-side.ts';
import { startOldBackend } from '../support/servers/old-backend.ts';
import { type Memory, memoryOf, tellingMemory } from './memory.ts';
import { keysOf, newSigner } from '../leaks/support/signer.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';

/** One built bridge in a process of its own, with a new API and an old API on loopback. */
export interface Ground {
  bridge: BridgeProcess;
  context: OpenContext['context'];
  modernUrl: string;
  person: Person;
  app: LegacyApp;
  /** A token that the old API answers. */
  waitingToken: string;
  /** What the bridge holds now. */
  memory(): Promise<Memory>;
  stop(): Promise<void>;
}

const CALLBACK = 'https://old-app.example/callback';

/** An app with a token that its owner has not connected yet, which the old API knows. */
async function addRows(
  { context }: OpenContext,
  accounts: Parameters<typeof startOldBackend>[0]['accounts'],
) {
  const registration = { name: 'Old App', callbacks: [CALLBACK], owner: 'owner@old-app.example' };
  const app = await registerApp(context, { ...registration, actor: 'test', requestId: null });
  if (!app) throw new Error('the app exists already');
  const { token } = await addWaitingToken({ context }, { clientId: app.clientId });
  accounts.push({ tokens: [token], user: { id: '4f0c0a06512f7ef214000000' } });
  return { app: { ...app, callback: CALLBACK }, waitingToken: token };
}

/** Starts everything; `env` are further settings of the bridge. */
export async function startGround(env: Record<string, string> = {}): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const [port, modernPort] = [await freePort(), await freePort()];
  const [bridgeUrl, modernUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${modernPort}`];
  const redirectUri = `${bridgeUrl}/callback`;
  const modern = await startEmbeddedModern({
    port: modernPort,
    issuer: modernUrl,
    redirectUri,
    accessTokenSeconds: 3600,
  });
  const accounts: Parameters<typeof startOldBackend>[0]['accounts'] = [];
  const old = await startOldBackend({ accounts });
  const settings = {
    PORT: String(port),
    PUBLIC_URL: bridgeUrl,
    VAR_DIR: join(folder, 'var'),
    MODERN_AUTH_URL: modernUrl,
    MODERN_API_URL: modernUrl,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    LEGACY_BACKEND_URL: old.url,
    LEAK_REPORT_KEYS: keysOf(newSigner('scanner')),
    ...tellingMemory(folder),
    ...env,
  };
  const bridge = await startBridgeProcess({ settings });
  const config = readConfig(settings);
  if (!config.upstream) throw new Error('the settings name no modern side');
  const logger = createLogger({ level: 'error', name: 'test' });
  const opened = await openContext(config, config.upstream, { logger });
  const rows = await addRows(opened, accounts);
  return {
    bridge,
    context: opened.context,
    modernUrl,
    person: modern.person,
    ...rows,
    memory: () => memoryOf(bridge, folder),
    async stop() {
      await opened.close();
      await bridge.kill();
      await old.close();
      await modern.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Milliseconds of CPU that all threads of a process have used. */
export function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const used = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return used.reduce((sum, one) => sum + one, 0) / 1e6;
}
