import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { expireGrants } from '../../support/bridge/expire-grants.ts';
import { authorize } from '../../support/callers/authorize.ts';
import { startEmbeddedModern } from '../../support/servers/embedded-modern.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { exchangeFields, tokenOf } from '../../support/callers/legacy-calls.ts';
import { BRIDGE_CLIENT, type ModernSide } from '../../support/servers/modern-side.ts';
import { type RawAnswer, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { type RecordingProxy, startRecordingProxy } from '../../support/servers/recording-proxy.ts';
import { buildProgram, type Program, runCommand, type Settings, startProgram } from '../running-program.ts';

/** What becomes of a refresh whose process is asked to stop, or is killed, while the answer is on its way. */

const ANSWER_MS = 1500;
/** What a claim may be old before its process counts as dead, see PRESENTING_LIMIT. */
const CLAIM_SECONDS = 20;

let modern: ModernSide;
let proxy: RecordingProxy;
let bridgeUrl: string;
let settings: Settings;
let program: Program;

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
    VAR_DIR: mkdtempSync(join(tmpdir(), 'graceful-stop-')),
    MODERN_AUTH_URL: proxy.origin,
    MODERN_API_URL: proxy.origin,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    PROFILES_FRESH_SECONDS: '0',
    LOG_LEVEL: 'error',
  };
  await startBridge();
});
afterEach(async () => {
  proxy.onTokenAnswer = undefined;
  program.process.kill('SIGKILL');
  await program.ended;
  rmSync(settings['VAR_DIR'] ?? '', { recursive: true });
});

async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + 40_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`${what} did not come to pass: ${program.said.complaints}`);
    await delay(20);
  }
}

async function startBridge(): Promise<void> {
  program = startProgram(settings);
  await until('the start', () => program.said.output.includes('Stop with Ctrl-C.'));
}

interface Grant {
  state: string;
  version: number;
  presentedAt: number | null;
}

/** The grants as the database file has them, the oldest first. */
function grants(): Grant[] {
  const db = new Sqlite(join(settings['VAR_DIR'] ?? '', 'bridge.db'), { readonly: true });
  const rows = db
    .prepare<[], Grant>('select state, version, presented_at as presentedAt from grants order by created_at')
    .all();
  db.close();
  return rows;
}

/** The token of an app that was let in just now; it was used for nothing yet. */
async function connectApp(name: string): Promise<string> {
  const callback = `https://${name}.example/callback`;
  const given = ['--name', name, '--callback', callback, '--owner', 'owner@app.example'];
  const registered = await runCommand(settings, ['apps', 'add', ...given]);
  const app = {
    clientId: registered['client_id'] ?? '',
    clientSecret: registered['client_secret'] ?? '',
    callback,
  };
  const { code = '' } = await authorize({ bridgeUrl, app, person: modern.person });
  const body = new URLSearchParams(exchangeFields(app, decodeURIComponent(code))).toString();
  return tokenOf(
    await sendRaw(bridgeUrl, { method: 'POST', path: '/1/oauth2/token.json', ...rawForm(body) }),
  );
}

const expireTokens = () => expireGrants(join(settings['VAR_DIR'] ?? '', 'bridge.db'));

const read = (token: string): Promise<RawAnswer> =>
  sendRaw(bridgeUrl, { path: '/1/profiles.json', headers: { authorization: `Bearer ${token}` } });

/** Lets the modern side rotate, and keeps its answers back; how many it has kept, and the way to let them go. */
function holdAnswers(): { held: () => number; release: () => void } {
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let held = 0;
  proxy.onTokenAnswer = async (_call, answer) => {
    held += 1;
    await released;
    return answer;
  };
  return { held: () => held, release: () => release?.() };
}

/** Asks to stop while an answer is held back; it must wait for the answer, and end well then. */
async function stopDuring({ held, release }: ReturnType<typeof holdAnswers>): Promise<void> {
  await until('the refresh', () => held() === 1);
  expect(grants()).toMatchObject([{ state: 'presenting', version: 1 }]);
  program.process.kill('SIGTERM');
  await delay(ANSWER_MS);
  expect(program.process.exitCode).toBeNull();
  expect(grants()).toMatchObject([{ state: 'presenting', version: 1 }]);
  release();
  expect(await program.ended).toBe(0);
  expect(program.said.complaints).toBe('');
  expect(grants()).toEqual([{ state: 'ready', version: 2, presentedAt: null }]);
}

describe('SIGTERM while a refresh is under way', () => {
  test('the caller gets its answer, and the pair is stored before the process ends and serves the next start', async () => {
    const token = await connectApp('waiting');
    expireTokens();
    const holding = holdAnswers();
    const [answer] = await Promise.all([read(token), stopDuring(holding)]);
    expect(answer).toMatchObject({ status: 200, json: expect.any(Array) });

    proxy.onTokenAnswer = undefined;
    await startBridge();
    expireTokens();
    expect((await read(token)).status).toBe(200);
    expect(grants()).toMatchObject([{ state: 'ready', version: 3 }]);
    proxy.assertNoRefreshTokenTwice();
  });

  test('the pair is stored as well when its caller went away, so that no open call holds the process', async () => {
    const token = await connectApp('impatient');
    expireTokens();
    const holding = holdAnswers();
    const headers = { authorization: `Bearer ${token}` };
    const call = request(`${bridgeUrl}/1/profiles.json`, { headers }).on('error', () => undefined);
    call.end();
    await until('the refresh', () => holding.held() === 1);
    call.destroy();
    await stopDuring(holding);
  });
});

describe('kill -9 between the claim and the answer', () => {
  test('the token is not presented again; what is known is served, else 503, and in time the grant is in doubt', async () => {
    const used = await connectApp('used');
    const known = await read(used);
    const unused = await connectApp('unused');
    const before = proxy.refreshes().length;
    const { held, release } = holdAnswers();
    expireTokens();
    const cutOff = [read(used), read(unused)].map((call) => call.catch(() => 'cut off'));
    await until('both refreshes', () => held() === 2);
    program.process.kill('SIGKILL');
    await program.ended;
    expect(await Promise.all(cutOff)).toEqual(['cut off', 'cut off']);
    release();
    proxy.onTokenAnswer = undefined;
    const claimed = grants();
    expect(claimed.map(({ state }) => state)).toEqual(['presenting', 'presenting']);
    const claimedAt = Math.max(...claimed.map(({ presentedAt }) => presentedAt ?? 0));

    await startBridge();
    const callBoth = async () => {
      const [stale, nothing] = await Promise.all([read(used), read(unused)]);
      expect(stale).toMatchObject({ status: 200, json: known.json });
      expect(nothing.status).toBe(503);
      expect(Number(nothing.headers['retry-after'])).toBeGreaterThan(0);
    };
    await callBoth();
    const seen = grants();
    // On a machine that took longer for this than a claim lasts there is only the doubt to look at.
    expect(Date.now() < claimedAt + CLAIM_SECONDS * 1000 ? seen : claimed).toEqual(claimed);

    await delay(claimedAt + CLAIM_SECONDS * 1000 + 200 - Date.now());
    await callBoth();
    expect(grants().map(({ state, version }) => ({ state, version }))).toEqual([
      { state: 'in_doubt', version: 1 },
      { state: 'in_doubt', version: 1 },
    ]);
    expect(proxy.refreshes().length - before).toBe(2);
    proxy.assertNoRefreshTokenTwice();
  });
});
