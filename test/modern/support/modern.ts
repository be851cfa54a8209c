import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProviderBrakes, type ProviderBrakes } from '../../../src/modern/provider/provider-brakes.ts';
import { type ModernServer, startModern } from '../../../src/modern/server.ts';
import type { ModernSettings } from '../../../src/modern/settings.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { hashQuickly } from '../../support/jest/quick-passwords.ts';

export const REDIRECT_URI = 'http://localhost:45999/callback';
export const PUBLIC = 'public-app';
export const CONFIDENTIAL = 'confidential-app';
export const CLIENT_SECRET = 'a-client-secret-of-the-confidential-app';
export const DEMO = { email: 'demo@grantbridge.example', password: 'grantbridge-demo' };
export const SECOND = { email: 'second@grantbridge.example', password: 'grantbridge-second' };

export interface Running {
  server: ModernServer;
  brakes: ProviderBrakes;
  folder: string;
  settings: ModernSettings;
  stop(): Promise<void>;
}

function settingsIn(folder: string): ModernSettings {
  return {
    host: '127.0.0.1',
    port: 0,
    issuer: 'http://127.0.0.1:0',
    databaseFile: join(folder, 'modern.db'),
    accessTokenSeconds: 3600,
    logLevel: 'error',
    mail: { from: 'no-reply@modern.example', directory: join(folder, 'mail') },
    clients: [
      { clientId: PUBLIC, name: 'Public <App>', redirectUris: [REDIRECT_URI] },
      {
        clientId: CONFIDENTIAL,
        clientSecret: CLIENT_SECRET,
        name: 'Confidential App',
        redirectUris: [REDIRECT_URI],
      },
    ],
    demo: true,
  };
}

/** A modern generation with a database of its own; `overrides.databaseFile` starts on an existing one. */
export async function runModern(overrides: Partial<ModernSettings> = {}): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'modern-test-'));
  const settings = { ...settingsIn(folder), ...overrides };
  const brakes = createProviderBrakes();
  const logger = createLogger({ level: settings.logLevel, name: 'modern' });
  const server = await startModern(settings, logger, brakes);
  hashQuickly(settings.databaseFile);
  const stop = async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { server, brakes, folder, settings, stop };
}

export function newPkce() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, challenge };
}

export type Parameters = Record<string, string | undefined>;

/** GET /auth with its parameters (test/modern/README.md 5.3); `undefined` leaves one out. */
export function authorizationUrl(base: string, parameters: Parameters = {}): string {
  const all: Parameters = {
    client_id: PUBLIC,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'account:read offline_access',
    state: 'state-of-the-app',
    code_challenge: newPkce().challenge,
    code_challenge_method: 'S256',
    prompt: 'consent',
    ...parameters,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value);
  return `${base}/auth?${query.toString()}`;
}

/** From /auth to the page that waits for a person, or to the redirect to the app. */
export async function open(browser: CookieWalker, url: string): Promise<Page> {
  return browser.follow(await browser.get(url), REDIRECT_URI);
}

interface Step {
  step: 'sign-in' | 'consent' | 'switch' | 'cancel';
  fields?: Record<string, string>;
}

/** Sends a form of the page as a browser would; the answer to that POST alone. */
export async function press(browser: CookieWalker, page: Page, { step, fields = {} }: Step): Promise<Page> {
  const action = new URL(`${new URL(page.url).pathname}/${step}`, page.url).href;
  return browser.post(action, fields, { 'sec-fetch-site': 'same-origin' });
}

/** Sends a form of the page and goes where that leads. */
export async function send(browser: CookieWalker, page: Page, step: Step): Promise<Page> {
  return browser.follow(await press(browser, page, step), REDIRECT_URI);
}

export interface Consent {
  base: string;
  browser?: CookieWalker;
  person?: { email: string; password: string };
  parameters?: Parameters;
}

/** Signs in where asked, allows, and returns the query of the redirect to the app with the verifier. */
export async function consent({ base, browser = new CookieWalker(), person = DEMO, parameters }: Consent) {
  const { verifier, challenge } = newPkce();
  const url = authorizationUrl(base, { code_challenge: challenge, ...parameters });
  let page = await open(browser, url);
  if (page.body.includes('name="password"'))
    page = await send(browser, page, { step: 'sign-in', fields: person });
  page = await send(browser, page, { step: 'consent', fields: { decision: 'allow' } });
  const answer = new URL(page.location ?? 'about:blank').searchParams;
  return { answer, code: answer.get('code') ?? '', verifier };
}

export interface TokenAnswer {
  status: number;
  headers: Headers;
  body: Record<string, string | number>;
}

export async function post(base: string, path: string, fields: Record<string, string>): Promise<TokenAnswer> {
  const response = await fetch(base + path, { method: 'POST', body: new URLSearchParams(fields) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} };
}

export function exchange(base: string, { code, verifier }: { code: string; verifier: string }, extra = {}) {
  return post(base, '/token', {
    grant_type: 'authorization_code',
    client_id: PUBLIC,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
    ...extra,
  });
}

export function refresh(base: string, refreshToken: string | number | undefined, extra = {}) {
  const fields = { grant_type: 'refresh_token', client_id: PUBLIC, refresh_token: String(refreshToken) };
  return post(base, '/token', { ...fields, ...extra });
}

/** A whole consent of the public app, up to its tokens. */
export async function obtainTokens(options: Consent): Promise<TokenAnswer['body']> {
  const { body } = await exchange(options.base, await consent(options));
  return body;
}

export interface GraphqlAnswer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- test reads deep into answers of any shape
  body: any;
}

export async function graphql(
  base: string,
  authorization: string | undefined,
  body: unknown,
): Promise<GraphqlAnswer> {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${base}/graphql`, { method: 'POST', headers, body: text });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export async function apiStatus(base: string, accessToken: unknown): Promise<number> {
  const answer = await graphql(base, `Bearer ${String(accessToken)}`, { query: '{ account { id } }' });
  return answer.status;
}

/** Every byte the modern generation keeps in its folder, key file left out. */
export function bytesAtRest(folder: string): string {
  const files = readdirSync(folder).filter((name) => !name.endsWith('.keys.json'));
  return files.map((name) => readFileSync(join(folder, name)).toString('latin1')).join('\n');
}
