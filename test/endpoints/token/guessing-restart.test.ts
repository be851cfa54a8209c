import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBridge } from '../../../src/app/bridge.ts';
import { readConfig } from '../../../src/config/config.ts';
import { registerApp } from '../../../src/domain/apps/register-app.ts';
import { newLegacyCode } from '../../../src/shared/ids.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { chooseDatabase } from '../../support/bridge/started-bridge.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { TOKEN_PATH } from '../support/connected.ts';
import { expectTokenError } from '../support/expectations.ts';

/** Wrong client secrets before a restart, and the right one behind it: what one process remembered is gone. */

const CALLBACK = 'https://app.example.com/cb';
const folder = mkdtempSync(join(tmpdir(), 'guessing-'));
let database: Awaited<ReturnType<typeof chooseDatabase>>;

beforeAll(async () => {
  database = await chooseDatabase();
});

afterAll(async () => {
  await database.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function settingsHere(): Promise<Record<string, string>> {
  const [port, modernPort] = [await freePort(), await freePort()];
  const modernUrl = `http://127.0.0.1:${modernPort}`;
  return {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    VAR_DIR: folder,
    MODERN_AUTH_URL: modernUrl,
    MODERN_API_URL: modernUrl,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    ...database.settings,
  };
}

const clock = new SettableClock();

const start = (settings: Record<string, string>) =>
  startBridge(readConfig(settings), { clock, logger: createLogger({ level: 'fatal', name: 'bridge' }) });

test('behind a restart the right secret does not wait for wrong ones of its address', async () => {
  const settings = await settingsHere();
  const first = await start(settings);
  const registration = {
    name: 'Old app',
    callbacks: [CALLBACK],
    owner: 'owner@app.example',
    actor: 'test',
    requestId: null,
  };
  const app = await registerApp(first.context, registration);
  const exchange = (secret = '') => {
    const fields = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code: newLegacyCode() };
    const credentials = { client_id: app?.clientId ?? '', client_secret: secret };
    const form = rawForm(new URLSearchParams({ ...fields, ...credentials }).toString());
    return sendRaw(settings['PUBLIC_URL'] ?? '', { method: 'POST', path: TOKEN_PATH, ...form });
  };
  expectTokenError(await exchange(app?.clientSecret), 400, 'invalid_grant');
  clock.advance(61_000);
  for (let guess = 0; guess < 10; guess += 1)
    expectTokenError(await exchange('wrong'), 400, 'invalid_client');
  await first.context.counts.sync();
  await first.close();

  const second = await start(settings);
  await second.context.counts.sync();
  expectTokenError(await exchange('wrong'), 429, 'slow_down');
  expectTokenError(await exchange(app?.clientSecret), 400, 'invalid_grant');
  await second.close();
});
