import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../../src/domain/context.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { allEvents } from '../../../src/store/history/events.ts';
import type { BridgeLog } from '../../support/bridge/spawned-bridge.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type StartedBridge, startTestBridge } from '../../support/bridge/started-bridge.ts';

/** A bridge whose modern side is never asked. */
export interface AdminBridge {
  bridge: StartedBridge;
  varDir: string;
  history(): Promise<string[]>;
  stop(): Promise<void>;
}

const ACTIONS = /^(?:date|app_ext|extension|brownout|exemption|rehearsal)/;

/** What happened to dates, extensions and brownouts: `actor action reason`, with the app in the third place. */
export async function historyOf({ store }: Pick<Context, 'store'>): Promise<string[]> {
  const lines: string[] = [];
  for await (const { actor, action, reason, client_id: app } of allEvents(store.durable))
    if (ACTIONS.test(action)) lines.push([actor, action, ...(app === null ? [] : [app]), reason].join(' '));
  return lines;
}

interface Options {
  clock?: Clock;
  log?: BridgeLog;
  /** Settings beyond those that it needs. */
  env?: Record<string, string>;
  /** Of an earlier one, whose database is opened again (SQLite). */
  varDir?: string;
}

export async function startAdminBridge(options: Options = {}): Promise<AdminBridge> {
  const varDir = options.varDir ?? mkdtempSync(join(tmpdir(), 'admin-'));
  const port = await freePort();
  const modern = 'http://127.0.0.1:9';
  const settings = {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    VAR_DIR: varDir,
    MODERN_AUTH_URL: modern,
    MODERN_API_URL: modern,
    MODERN_CLIENT_ID: 'bridge',
    ...options.env,
  };
  const { clock, log } = options;
  const bridge = await startTestBridge({ settings, ...(clock && { clock }), ...(log && { log }) });
  const { context } = bridge;
  return {
    bridge,
    varDir,
    history: () => historyOf(context),
    async stop() {
      await bridge.close();
      rmSync(varDir, { recursive: true, force: true });
    },
  };
}
