import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { expireGrants } from '../../support/bridge/expire-grants.ts';
import { authorize } from '../../support/callers/authorize.ts';
import { startEmbeddedModern } from '../../support/servers/embedded-modern.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { exchangeFields, tokenOf } from '../../support/callers/legacy-calls.ts';
import { BRIDGE_CLIENT, type ModernSide } from '../../support/servers/modern-side.ts';
import { type RawAnswer, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { type RecordingProxy, startRecordingProxy } from '../../support/servers/recording-proxy.ts';
import { canReadProcesses, isRunning, workersOf } from './process-list.ts';
import { buildProgram, type Program, runCommand, type Settings, startProgram } from '../running-program.ts';

/** A refreshed pair that is on its way to a worker while the first process stops, or is killed. */

let modern: ModernSide;
let proxy: RecordingProxy;
let bridgeUrl: string;
let settings: Settings;
let program: Program;

async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`${what} did not come to pass: ${program.said.complaints}`);
    await pause(20);
  }
}

beforeAll(async () => {
  await buildProgram();
  const [port, seen, own] = [await freePort(), await freePort(), await freePort()];
  bridgeUrl = `http://127.0.0.1:${own}`;
  proxy = await startRecordingProxy(seen, `http://127.0.0.1:${port}`);
  const redirectUri = `${bridgeUrl}/callback`;
  modern = await startEmbeddedModern({
    port,
    issuer: proxy.origin,
    redirectUri,
    accessTokenSeconds: 3600,
  });
});
afterAll(async () => {
  await proxy.close();
  await modern.close();
});

beforeEach(async () => {
  settings = {
    PORT: new URL(bridgeUrl).port,
    PUBLIC_URL: bridgeUrl,
    VAR_DIR: mkdtempSync(join(tmpdir(), 'orphaned-')),
    MODERN_AUTH_URL: proxy.origin,
    MODERN_API_URL: proxy.origin,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    WORKERS: '2',
    LOG_LEVEL: 'error',
  };
  program = startProgram(settings);
  await until('the start', () => program.said.output.includes('Stop with Ctrl-C.'));
});
afterEach(async () => {
  proxy.onTokenAnswer = undefined;
  program.process.kill('SIGKILL');
  await program.ended;
  rmSync(settings['VAR_DIR'] ?? '', { recursive: true });
});

/** The token of an app that was let in just now; it was used for nothing yet. */
async function connectApp(): Promise<string> {
  const callback = 'https://held.example/callback';
  const given = ['--name', 'Held', '--callback', callback, '--owner', 'owner@app.example'];
  const registered = await runCommand(settings, ['apps', 'add', ...given]);
  const app = {
    clientId: registered['client_id'] ?? '',
    clientSecret: registered['client_secret'] ?? '',
    callback,
  };
  const { code = '' } = await authorize({ bridgeUrl, app, person: modern.person });
  const body = new URLSearchParams(exchangeFields(app, decodeURIComponent(code))).toString();
  const call = { method: 'POST', path: '/1/oauth2/token.json', ...rawForm(body) };
  return tokenOf(await sendRaw(bridgeUrl, call));
}

const expireTokens = () => expireGrants(join(settings['VAR_DIR'] ?? '', 'bridge.db'));

const read = (token: string): Promise<RawAnswer> =>
  sendRaw(bridgeUrl, { path: '/1/profiles.json', headers: { authorization: `Bearer ${token}` } });

function grant(): { state: string; version: number } | undefined {
  const db = new Sqlite(join(settings['VAR_DIR'] ?? '', 'bridge.db'), { readonly: true });
  const row = db.prepare<[], { state: string; version: number }>('select state, version from grants').get();
  db.close();
  return row;
}

const testWithProcesses = canReadProcesses ? test : test.skip;

testWithProcesses.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s for the first process: the caller gets its answer and the pair is stored before the last worker ends',
  async (signal) => {
    const token = await connectApp();
    expireTokens();
    const workers = workersOf(program.process.pid ?? 0);
    let held = 0;
    proxy.onTokenAnswer = async (_call, answer) => {
      held += 1;
      await until('the end of the idle worker', () => workers.filter(isRunning).length < 2);
      return answer;
    };
    const calling = read(token);
    await until('the refresh', () => held === 1);
    expect(grant()).toEqual({ state: 'presenting', version: 1 });
    program.process.kill(signal);
    expect(await calling).toMatchObject({ status: 200, json: expect.any(Array) });
    await until('the end of all', () => workers.filter(isRunning).length === 0);
    await program.ended;
    expect(grant()).toEqual({ state: 'ready', version: 2 });
    expect(program.process.exitCode).toBe(signal === 'SIGTERM' ? 0 : null);
    expect(program.said.complaints).toBe('');
    proxy.assertNoRefreshTokenTwice();
  },
  40_000,
);
