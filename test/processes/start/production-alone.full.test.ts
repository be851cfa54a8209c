import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { runNode } from '../../ground/ready-project.ts';
import { type BridgeProcess, startBridgeProcess } from '../../support/bridge/bridge-process.ts';
import { authorize } from '../../support/callers/authorize.ts';
import { CookieWalker, HTTPS_OUTSIDE, type TlsProxy } from '../../support/callers/cookie-walker.ts';
import { exchangeFields } from '../../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type ModernProcess, startModernProcess } from '../../verification/shared/modern-process.ts';
import { add } from '../commands/operator-command.ts';
import { installTarball, type ProductionInstall } from '../production-install.ts';
import { buildProgram, type Settings } from '../running-program.ts';

/** A bridge that is installed from its tarball, without the packages of the embedded new API and of the demo. */

const checkout = resolve(import.meta.dirname, '../../..');
const publicUrl = 'https://bridge.example';
const callback = 'https://app.example/callback';
const OWNER = '4f0c0a06512f7ef214000000';
const CLIENT = { clientId: 'bridge-alone', clientSecret: 'secret-of-the-bridge-alone' };

/** Packages that only the embedded new API or the demo uses, and one that only their packages use. */
const LEFT_OUT = ['oidc-provider', 'graphql', 'graphql-http', 'grant', '@escape.tech', 'koa'];

const kept = mkdtempSync(join(tmpdir(), 'production-alone-'));
let install: ProductionInstall;

beforeAll(async () => {
  await buildProgram();
  install = installTarball();
}, 300_000);

afterAll(() => {
  install?.remove();
  rmSync(kept, { recursive: true, force: true });
});

async function startModern(): Promise<ModernProcess & { url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const modern = await startModernProcess(checkout, {
    host: '127.0.0.1',
    port,
    issuer: url,
    databaseFile: join(kept, 'modern.db'),
    accessTokenSeconds: 3600,
    logLevel: 'error',
    mail: { smtpUrl: undefined, from: 'no-reply@bridge.example', directory: join(kept, 'mail') },
    clients: [{ ...CLIENT, name: 'bridge', redirectUris: [`${publicUrl}/callback`] }],
    demo: true,
  });
  return { ...modern, url };
}

async function productionSettings(modernUrl: string): Promise<Settings & { PORT: string }> {
  return {
    NODE_ENV: 'production',
    PORT: String(await freePort()),
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: '127.0.0.1',
    VAR_DIR: join(kept, 'var'),
    MODERN_AUTH_URL: modernUrl,
    MODERN_API_URL: modernUrl,
    MODERN_CLIENT_ID: CLIENT.clientId,
    MODERN_CLIENT_SECRET: CLIENT.clientSecret,
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'warn',
  };
}

/** Runs the operator's command of the install. */
async function command(settings: Settings, ...args: string[]): Promise<string> {
  const { code, output } = await runNode(install.folder, ['dist/program/cli.js', ...args], settings);
  expect([code, output]).toEqual([0, output]);
  return output;
}

async function registerApp(settings: Settings) {
  const said = await command(settings, ...add('An old app', callback, OWNER), '--json');
  const app = JSON.parse(said) as { client_id: string; client_secret: string };
  return { clientId: app.client_id, clientSecret: app.client_secret, callback };
}

describe('where only the packages of production are installed', () => {
  let modern: ModernProcess & { url: string };
  let bridge: BridgeProcess;
  let settings: Settings & { PORT: string };
  let proxy: TlsProxy;
  beforeAll(async () => {
    modern = await startModern();
    settings = await productionSettings(modern.url);
    await command(settings, 'keys', 'init');
    bridge = await startBridgeProcess({ settings, folder: install.folder });
    proxy = { publicUrl, bridgeUrl: bridge.url };
  }, 120_000);
  afterAll(async () => {
    await bridge?.stop();
    await modern?.stop();
  });

  test('the packages of the embedded new API and of the demo are not among them', () => {
    expect(LEFT_OUT.filter((name) => install.hasPackage(name))).toEqual([]);
    expect(install.hasPackage('express')).toBe(true);
  });

  test('the tarball has what the program reads, and neither tests nor sources', () => {
    const files = readdirSync(install.folder, { recursive: true }).map(String);
    const readAtRunTime = readdirSync(join(checkout, 'src'), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && !file.name.endsWith('.ts'))
      .map((file) => join(relative(checkout, file.parentPath), file.name));
    expect(readAtRunTime.filter((file) => !files.includes(file))).toEqual([]);
    const others = files.filter((file) => /\.(ts|mjs)$|^(test|var)\b/.test(file));
    expect(others).toEqual(['scripts/install/sqlite-binding.mjs']);
  });

  test('--version names the version, the commit and the newest schemas', async () => {
    expect(await command({}, '--version')).toMatch(
      /^\d+\.\d+\.\d+ \(commit ([\da-f]{7,40}(-dirty)?|unknown); schema sqlite \d+, sqlite-volatile \d+, postgres \d+\)\n$/,
    );
  });

  test('the bridge is ready, and a person who signs in comes to the new API', async () => {
    expect(await sendRaw(bridge.url, { path: '/ready', headers: HTTPS_OUTSIDE })).toMatchObject({
      status: 200,
    });
    const browser = new CookieWalker(proxy);
    const page = await browser.follow(await browser.get(`${publicUrl}/apps`));
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('type="password"') });
    expect(page.url).toContain(modern.url);
  });

  test('an app gets a token by the old flow, and the token reads its profiles', async () => {
    const app = await registerApp(settings);
    const browser = new CookieWalker(proxy);
    const { code } = await authorize({ bridgeUrl: publicUrl, app, person: modern.person, browser });
    const form = rawForm(new URLSearchParams(exchangeFields(app, code ?? '')).toString(), HTTPS_OUTSIDE);
    const pair = await sendRaw(bridge.url, { method: 'POST', path: '/1/oauth2/token.json', ...form });
    expect(pair).toMatchObject({ status: 200, json: { access_token: expect.any(String) } });
    const { access_token: token } = pair.json as { access_token: string };
    const path = `/1/profiles.json?access_token=${token}`;
    const profiles = await sendRaw(bridge.url, { path, headers: HTTPS_OUTSIDE });
    expect([profiles.status, (profiles.json as unknown[]).length > 0]).toEqual([200, true]);
    expect(bridge.complaints()).not.toContain('"level":"error"');
  });

  test('the embedded new API refuses to start, says what to run, and leaves neither keys nor database', async () => {
    const VAR_DIR = join(kept, 'embedded');
    const serve = ['dist/program/cli.js', 'serve'];
    const { code, output } = await runNode(install.folder, serve, { VAR_DIR, PORT: '0' });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /^The embedded new API needs packages that are not installed here; the first is \S+\. .*npm ci --include=dev\. .*set MODERN_AUTH_URL, MODERN_API_URL and MODERN_CLIENT_ID\.\n$/,
      ),
    ]);
    expect(readdirSync(VAR_DIR)).toEqual(['modern-client.json']);
  });

  test('the demo refuses in the same words', async () => {
    expect(await install.startPart('dist/program/demo/main.js', { logLevel: 'error' })).toEqual({
      type: 'failed',
      message: expect.stringMatching(
        /^The demo integration needs .* the first is grant\. .*npm ci --include=dev/,
      ),
    });
  });
});
