import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import {
  buildProgram,
  type Program,
  runCommand,
  type Settings,
  type StartOptions,
  startProgram,
} from '../../processes/running-program.ts';
import { authorize } from '../../support/callers/authorize.ts';
import { startEmbeddedModern } from '../../support/servers/embedded-modern.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { until } from '../../support/servers/held-answer.ts';
import { expireGrants } from '../../support/bridge/expire-grants.ts';
import { exchangeFields, tokenOf } from '../../support/callers/legacy-calls.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { type RawAnswer, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { type RecordingProxy, startRecordingProxy } from '../../support/servers/recording-proxy.ts';

/** The built bridge in processes of its own, before a new API whose answers a test may hold back. */

const PATIENCE = 60_000;

interface Grant {
  state: string;
  version: number;
}

export interface Ground {
  url: string;
  proxy: RecordingProxy;
  settings: Settings;
  /** Starts the bridge; resolves when it serves. */
  start(more?: Settings, options?: StartOptions): Promise<Program>;
  /** The token of an app that was let in just now, registered by the command of the version in `folder`. */
  connectApp(folder?: string): Promise<string>;
  grants(): Grant[];
  /** Lets the access tokens of all grants be over, so that the next read refreshes, once however slow the machine is. */
  expire(): void;
  read(token: string): Promise<RawAnswer>;
  close(): Promise<void>;
}

export async function until60(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await until(isSo, PATIENCE);
}

function grantsIn(file: string): Grant[] {
  const db = new Sqlite(file, { readonly: true });
  const rows = db.prepare<[], Grant>('select state, version from grants order by created_at').all();
  db.close();
  return rows;
}

async function startModernSide(redirectUri: string, accessTokenSeconds: number) {
  const [port, seen] = [await freePort(), await freePort()];
  const proxy = await startRecordingProxy(seen, `http://127.0.0.1:${port}`);
  const modern = await startEmbeddedModern({
    port,
    issuer: proxy.origin,
    redirectUri,
    accessTokenSeconds,
  });
  return { modern, proxy };
}

/** What a test wants otherwise than the others: an access token that lives shorter than an hour, further settings. */
interface GroundWishes {
  accessTokenSeconds?: number;
  settings?: Settings;
}

export async function openGround({
  accessTokenSeconds = 3600,
  settings: wished = {},
}: GroundWishes = {}): Promise<Ground> {
  await buildProgram();
  const url = `http://127.0.0.1:${await freePort()}`;
  const { modern, proxy } = await startModernSide(`${url}/callback`, accessTokenSeconds);
  const varDir = mkdtempSync(join(tmpdir(), 'shutdown-'));
  const settings: Settings = {
    PORT: new URL(url).port,
    PUBLIC_URL: url,
    VAR_DIR: varDir,
    MODERN_AUTH_URL: proxy.origin,
    MODERN_API_URL: proxy.origin,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    PROFILES_FRESH_SECONDS: '0',
    LEGACY_RATE_LIMIT: '0',
    LOG_LEVEL: 'error',
    ...wished,
  };
  const grants = () => grantsIn(join(varDir, 'bridge.db'));
  let program: Program | undefined;
  return {
    url,
    proxy,
    settings,
    grants,
    async start(more = {}, options = {}) {
      const started = startProgram({ ...settings, ...more }, options);
      program = started;
      await until60(() => {
        if (started.process.exitCode !== null) throw new Error(`no start: ${started.said.complaints}`);
        return started.said.output.includes('Stop with Ctrl-C.');
      });
      return started;
    },
    async connectApp(folder) {
      const callback = 'https://old.example/callback';
      const given = ['--name', 'Old', '--callback', callback, '--owner', 'owner@app.example'];
      const registered = await runCommand(settings, ['apps', 'add', ...given], folder);
      const { client_id: clientId = '', client_secret: clientSecret = '' } = registered;
      const app = { clientId, clientSecret, callback };
      const { code = '' } = await authorize({ bridgeUrl: url, app, person: modern.person });
      const body = new URLSearchParams(exchangeFields(app, decodeURIComponent(code))).toString();
      return tokenOf(await sendRaw(url, { method: 'POST', path: '/1/oauth2/token.json', ...rawForm(body) }));
    },
    expire: () => expireGrants(join(varDir, 'bridge.db')),
    read: (token) =>
      sendRaw(url, { path: '/1/profiles.json', headers: { authorization: `Bearer ${token}` } }),
    async close() {
      program?.process.kill('SIGKILL');
      await program?.ended;
      await proxy.close();
      await modern.close();
      rmSync(varDir, { recursive: true, force: true });
    },
  };
}

/** Holds every answer of the token endpoint back after the new API has rotated the pair. */
export function holdRefreshes(proxy: RecordingProxy): { held: () => number; release: () => void } {
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
