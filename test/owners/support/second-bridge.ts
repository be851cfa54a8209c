import { dirname } from 'node:path';
import { freePort } from '../../support/servers/free-port.ts';
import type { SettableClock } from '../../support/bridge/settable-clock.ts';
import { type StartedBridge, startTestBridge } from '../../support/bridge/started-bridge.ts';
import type { System } from '../../support/bridge/system.ts';

/** Another bridge on the database and keys of a system that runs, by the same clock. */
export async function startSecond(
  { bridge, bridgeUrl, proxy }: System,
  { clock, env }: { clock: SettableClock; env: Record<string, string> },
): Promise<StartedBridge> {
  const { database, context } = bridge;
  const settings = {
    PORT: String(await freePort()),
    PUBLIC_URL: bridgeUrl,
    VAR_DIR: dirname(context.anchorsFile),
    DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
    MODERN_AUTH_URL: proxy.origin,
    MODERN_API_URL: proxy.origin,
    MODERN_CLIENT_ID: 'never asked',
  };
  return startTestBridge({ settings: { ...settings, ...env }, clock });
}
