import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findTokenCommand } from '../../../src/cli/commands/tokens/token-actions.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { wordsOf } from '../../owners/support/people.ts';
import { commandSettings } from '../../domain/support/command-settings.ts';
import { staffBrowser } from '../support/staff-browser.ts';

/** What support reads of a waiting token whose calls the old API refuses. */

const accounts: OldAccount[] = [];
const varDir = mkdtempSync(join(tmpdir(), 'refused-calls-'));
let old: OldBackend;
let system: System;
let sam: CookieWalker;

beforeAll(async () => {
  old = await startOldBackend({ accounts });
  system = await startSystem({ env: { VAR_DIR: varDir, LEGACY_BACKEND_URL: old.url } });
  sam = await staffBrowser(system, 'reader');
});
afterAll(async () => {
  await system.stop();
  await old.close();
  rmSync(varDir, { recursive: true, force: true });
});

async function call(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'caller/1.0' };
  const { status } = await fetch(`${system.bridgeUrl}/1/user.json`, { headers });
  await system.bridge.context.usage.flush();
  return status;
}

const pageOf = async (id: string) => wordsOf(await sam.get(`${system.bridgeUrl}/support/mappings/${id}`));

/** `tokens find`, on the database of the bridge. */
async function found(id: string) {
  const before = process.env;
  const { database, context } = system.bridge;
  const settings = commandSettings(dirname(context.anchorsFile));
  process.env = { ...settings, ...(database.kind === 'postgres' && { DATABASE_URL: database.url }) };
  try {
    return await findTokenCommand({}, [id]);
  } finally {
    process.env = before;
  }
}

test('a waiting token whose calls the old API refuses is not said to be answered', async () => {
  const { token, mappingId: id } = await addWaitingToken(system.bridge, { clientId: system.app.clientId });
  expect(await pageOf(id)).toContain('the old API still answers its calls.');
  for (const _ of [1, 2, 3]) expect(await call(token)).toBe(401);
  const refused = await pageOf(id);
  expect(refused).toContain(
    'not connected to the new API yet; its calls go to the old API, and its last call was',
  );
  expect(refused).not.toContain('answers its calls');
  expect(refused).toMatch(
    /Program Endpoint Token in Calls Refused Last caller\/1\.0 \/1\/user\.json the header 3 3 /,
  );
  const { lines, json } = await found(id);
  expect(lines.join('\n')).toContain('at least 3 calls in 30 days (3 refused), in header, by caller/1.0');
  expect(json).toMatchObject({ tokens: [{ calls: 3, refused: 3 }] });

  accounts.push({ tokens: [token], user: { id: newHexId() }, profiles: [] });
  expect(await call(token)).toBe(200);
  const answered = await pageOf(id);
  expect(answered).toContain('the old API still answers its calls.');
  expect(answered).toMatch(/the header 4 3 /);
});
