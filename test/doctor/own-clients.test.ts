import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import { doctor } from '../../src/cli/commands/doctor.ts';
import { CLIENTS_ASKED } from '../../src/cli/commands/doctor/database-checks.ts';
import { withContext } from '../../src/cli/commands/with-context.ts';
import { registerApp } from '../../src/domain/apps/register-app.ts';
import type { CheckFinding } from '../../src/domain/checks/verdict.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { startEmbeddedModern } from '../support/servers/embedded-modern.ts';
import { freePort } from '../support/servers/free-port.ts';
import { BRIDGE_CLIENT, type ModernSide } from '../support/servers/modern-side.ts';

/** What `doctor` says of the own clients of apps, whose redirect URIs only their owners register. */

const before = process.env;
const folder = mkdtempSync(join(tmpdir(), 'own-clients-'));
const SCOPES = 'account:read offline_access';
const PUBLIC_URL = 'https://localhost:3000';
let modern: ModernSide;
let settings: Record<string, string>;

beforeAll(async () => {
  const port = await freePort();
  modern = await startEmbeddedModern({
    port,
    issuer: `http://127.0.0.1:${port}`,
    redirectUri: `${PUBLIC_URL}/callback`,
    accessTokenSeconds: 3600,
    ownClients: [
      { clientId: 'planners-own', clientSecret: 'a-secret-of-an-owner-0123456789abcdef', name: 'Planner' },
    ],
  });
  settings = {
    VAR_DIR: folder,
    LOG_LEVEL: 'error',
    MODERN_AUTH_URL: modern.url,
    MODERN_API_URL: modern.url,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
  };
  process.env = { ...settings, PUBLIC_URL };
  await migrateDatabase({});
});

afterAll(async () => {
  process.env = before;
  await modern.close();
  rmSync(folder, { recursive: true });
});

async function findingAt(publicUrl: string): Promise<CheckFinding | undefined> {
  process.env = { ...settings, PUBLIC_URL: publicUrl };
  const findings = (await doctor()).json['findings'] as CheckFinding[];
  return findings.find(({ check }) => check === 'own clients');
}

/** Apps whose consents name a client of their own. Gives the client id of the last one. */
async function addApps(clients: readonly string[], isRetired = false): Promise<string> {
  process.env = { ...settings, PUBLIC_URL };
  return withContext(async ({ context }) => {
    const db = context.store.durable;
    let clientId = '';
    for (const client of clients) {
      const of = { name: client, callbacks: ['https://app.example/back'], contacts: [], owner: newHexId() };
      const app = await registerApp(context, { ...of, actor: 'test', requestId: null });
      clientId = app?.clientId ?? '';
      const row = { id: client, client_id: clientId, secret_sealed: 'sealed', scopes: SCOPES };
      await db
        .insertInto('modern_clients')
        .values({ ...row, proven_at: 0 })
        .execute();
      await db
        .updateTable('apps')
        .set({ modern_client_id: client, retired_at: isRetired ? 1 : null })
        .where('client_id', '=', clientId)
        .execute();
    }
    return clientId;
  });
}

test('without such a client nothing is asked', async () => {
  expect(await findingAt(PUBLIC_URL)).toMatchObject({ state: 'not looked at' });
});

test('a client with the redirect URI is ok, and after another PUBLIC_URL its app is named', async () => {
  const clientId = await addApps(['planners-own']);
  expect(await findingAt(PUBLIC_URL)).toMatchObject({
    state: 'ok',
    detail: 'own clients of apps: 1 in use. An authorization with each leads to a sign-in',
  });
  const elsewhere = await findingAt('https://other.example');
  expect(elsewhere?.state).toBe('warning');
  expect(elsewhere?.detail).toContain('refuses 1 of 1 own clients of apps. Nobody can connect');
  expect(elsewhere?.detail).toContain(`“planners-own” (${clientId}): https://other.example/callback`);
});

test('a retired app is left out, and of many apps those that were entered last are asked', async () => {
  await addApps(['gone'], true);
  expect((await findingAt(PUBLIC_URL))?.state).toBe('ok');
  await addApps(Array.from({ length: CLIENTS_ASKED }, (_, n) => `x${n}`));
  const finding = await findingAt(PUBLIC_URL);
  expect(finding?.detail).toContain(`of ${CLIENTS_ASKED} own clients of apps, those entered last.`);
});
