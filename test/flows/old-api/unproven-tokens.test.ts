import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endGrant } from '../../../src/domain/grants/end-grant.ts';
import { importFile } from '../../../src/domain/import/reading/import-file.ts';
import { findGrant } from '../../../src/store/grants/grants.ts';
import { DANA, wordsOf } from '../../owners/support/people.ts';
import { act } from '../../staff/support/actions.ts';
import { linesOf } from '../../staff/support/desk-rows.ts';
import { staffBrowser } from '../../staff/support/staff-browser.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import {
  call,
  connect,
  connectedApp,
  dana,
  eventsOf,
  grantOf,
  known,
  pageOf,
  rows,
  seen,
  statusOf,
  system,
  ticked,
  withSeenTokens,
} from '../support/seen-tokens.ts';

/** Tokens that an earlier version connected because a call named an app: they work on, and have no right of the app. */

withSeenTokens();

/** A token on the connection of an app, as the upgrade leaves it. */
async function believed() {
  const { app, token } = await connectedApp();
  const stray = await seen({ names: app.clientId });
  const grant = await grantOf(app.clientId);
  if (!grant) throw new Error('the app has no grant');
  await rows()
    .updateTable('mappings')
    .set({ client_id: app.clientId, state: 'active', grant_id: grant.id })
    .where('id', '=', stray.id)
    .execute();
  return { app, token, stray, grantId: grant.id };
}

/** The tokens that stand on the desk, by their hints. */
async function hintsOnDesk(): Promise<string> {
  const staff = await staffBrowser(system, 'agent');
  return linesOf(await staff.get(`${system.bridgeUrl}/support/desks/unproven`)).join('\n');
}

test('such a token works on, and ends alone', async () => {
  const { app, token, stray } = await believed();
  expect([await statusOf(token), await statusOf(stray.token)]).toEqual([200, 200]);
  const list = await dana.get(`${pageOf(app.clientId)}/tokens`);
  expect(wordsOf(list).match(/only its calls name this app/g)).toHaveLength(1);
  expect((await call(stray.token, '/1/user/deauthorize.json')).status).toBe(200);
  expect([await statusOf(token), await statusOf(stray.token)]).toEqual([200, 401]);
  const events = await eventsOf(stray.id);
  expect(events.at(-1)).toMatchObject({ actor: `token:${stray.id}`, action: 'token_revoked' });
});

test('it stands on a desk until support says which app it is', async () => {
  const { app, token, stray, grantId } = await believed();
  const [hint, own] = [stray.token.slice(-4), token.slice(-4)];
  const desk = await hintsOnDesk();
  expect(desk).toContain(hint);
  expect(desk).toContain('2 tokens on it');
  expect(desk).not.toContain(own);
  const staff = await staffBrowser(system, 'agent');
  const page = await staff.get(`${system.bridgeUrl}/support/mappings/${stray.id}`);
  expect(wordsOf(page)).toContain('Nobody was asked whether it belongs to this app');
  expect(wordsOf(page)).toMatch(/Named by its calls .* unproven/);
  const confirm = { client_id: app.clientId };
  await act(staff, `${system.bridgeUrl}/support/mappings/${stray.id}/assign`, confirm);
  expect(await known(stray.token)).toMatchObject({ state: 'active', grant_id: grantId, app_proven: 1 });
  expect(await hintsOnDesk()).not.toContain(hint);
});

test('when its connection has died, the next consent for the app takes it along only if it is chosen', async () => {
  const { app, token, stray, grantId } = await believed();
  const { context } = system.bridge;
  const grant = await findGrant(context.store.durable, grantId);
  if (!grant) throw new Error('the grant was there');
  await endGrant(context, grant, 'refused');
  await issueToken(system, { app });
  expect((await known(token)).state).toBe('active');
  expect((await known(stray.token)).state).toBe('reauthorization_required');
  await connect(await dana.get(`${pageOf(app.clientId)}/connect`), ticked(stray.id));
  expect(await known(stray.token)).toMatchObject({ state: 'active', app_proven: 1 });
});

test('an import that names it with its app proves the app', async () => {
  const { app, stray } = await believed();
  const { context } = system.bridge;
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  const file = join(folder, 'tokens.ndjson');
  const row = { type: 'token', access_token: stray.token, client_id: app.clientId };
  writeFileSync(file, `${JSON.stringify({ ...row, account_id: DANA.accountId })}\n`);
  const origin = { actor: 'test', requestId: null };
  const asked = { file, folder, isDryRun: false, origin, onProgress: () => {} };
  expect(await importFile(context, asked)).toMatchObject({ changed: 1, refused: 0 });
  expect(await known(stray.token)).toMatchObject({ state: 'active', app_proven: 1 });
  expect((await importFile(context, asked)).known).toBe(1);
  rmSync(folder, { recursive: true });
});
