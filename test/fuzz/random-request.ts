import { OLD_CALL_NAMES, OLD_CALLS } from '../../src/domain/old-calls/old-calls.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import type { Chance } from '../verification/shared/faults/chance.ts';
import type { LegacyApp } from '../support/callers/authorize.ts';
import { CARRIERS, CODINGS, type Carried } from './bodies.ts';
import { randomCall } from '../posts/support/random-call.ts';
import type { Sent } from './send.ts';

/** Any request that a program or a person may send, and many that nobody should. */

/** What is valid at the bridge. */
export interface Valid {
  app: LegacyApp;
  /** Legacy tokens: of a grant, and of the old API. */
  tokens: readonly [ofGrant: string, ofOldApi: string];
  /** Updates that the first of the tokens can change, and their profile. */
  updateIds: readonly string[];
  ownProfile: string;
}

interface Source {
  chance: Chance;
  valid: Valid;
}

const METHODS = [
  'GET',
  'POST',
  'GET',
  'POST',
  'HEAD',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'TRACE',
];

const ID = '0'.repeat(24);

const PATHS = [
  '/1/user.json',
  '/1/user',
  '/1/user.xml',
  '/1/profiles.json',
  `/1/profiles/${ID}.json`,
  ...OLD_CALL_NAMES.map((name) => `${OLD_CALLS[name].paths[0].replace(':id', ID)}.json`),
  '/1/nothing.json',
  '/1/%zz',
  '/1//user.json',
  '/1/../health',
  '/1/oauth2/token.json',
  '/1/oauth2/token',
  '/1/user/deauthorize.json',
  '/user/deauthorize',
  '/oauth2/authorize',
  '/1/oauth2/authorize',
  '/oauth2/exchange',
  '/leaks',
  `/approve/${ID}`,
  '/approve/x',
  '/callback',
  '/callback/x',
  '/sign-in',
  '/sign-out',
  '/',
  '/apps',
  '/apps/register',
  '/apps/account',
  `/apps/${ID}`,
  `/apps/${ID}/live/events`,
  `/apps/${ID}/secrets`,
  '/apps/%ff',
  '/support',
  '/support/search',
  `/support/apps/${ID}`,
  '/lifecycle',
  '/lifecycle.json',
  '/health',
  '/ready',
  '/metrics',
  '/assets/style.css',
  '/assets/%2e%2e/app.ts',
  '/favicon.ico',
  '/nothing',
  '/%',
];

/** No token that is to stay good is sent where tokens end. */
const ENDS_TOKENS = /deauthorize/i;

const NAMES = [
  'access_token',
  'access_token[]',
  'access.token',
  'client_id',
  'client_secret',
  'code',
  'grant_type',
  'redirect_uri',
  'response_type',
  'state',
  'scope',
  'subject_token',
  'subject_token_type',
  'error',
  'iss',
  '_form',
  'decision',
  'return_to',
  'q',
  'name',
  'callback',
  '__proto__',
  'a',
  '',
];

const WORDS = [
  '',
  'x',
  'code',
  'authorization_code',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:grantbridge:params:oauth:grant-type:confirm-exchange',
  'allow',
  'deny',
  'https://old-app.example/callback',
  'https://evil.example/',
  'javascript:alert(1)',
  '1/%2F',
  '%00',
  '\u0000',
  '\ud800',
  'é𐍈',
  "'; drop table mappings; --",
  '<script>',
  'a'.repeat(3000),
  '[]',
  '{}',
];

function tokenFor({ chance, valid }: Source, path: string): string {
  if (ENDS_TOKENS.test(path) || chance.happens(0.5))
    return chance.pick([newLegacyToken(), 'x', '1/', '', 'a b']);
  return chance.pick(valid.tokens);
}

function valueOf(source: Source, path: string, name: string): string {
  const { chance, valid } = source;
  if (chance.happens(0.3)) return chance.pick(WORDS);
  if (name.startsWith('access') || name === 'subject_token') return tokenFor(source, path);
  if (name === 'client_id') return valid.app.clientId;
  if (name === 'client_secret') return valid.app.clientSecret;
  return name === 'redirect_uri' ? valid.app.callback : chance.pick(WORDS);
}

function fieldsFor(source: Source, path: string): Record<string, string> {
  const { chance } = source;
  const names = Array.from({ length: chance.between(0, 6) }, () => chance.pick(NAMES));
  return Object.fromEntries(names.map((name) => [name, valueOf(source, path, name)]));
}

function queryFor(source: Source, path: string): string {
  const { chance } = source;
  if (chance.happens(0.5)) return '';
  const query = new URLSearchParams(fieldsFor(source, path)).toString();
  return `?${chance.happens(0.1) ? `${query}&%zz=%&;;&=&%ff` : query}`;
}

function authorizationFor(source: Source, path: string): string | string[] | undefined {
  const { chance, valid } = source;
  const scheme = chance.pick(['Bearer', 'bearer', 'OAuth', 'Bearer ', 'Token', '']);
  const bearer = `${scheme} ${tokenFor(source, path)}`;
  const secret = chance.pick([valid.app.clientSecret, 'wrong', '%zz', '']);
  const basic = `Basic ${Buffer.from(`${valid.app.clientId}:${secret}`).toString('base64')}`;
  return chance.pick([undefined, undefined, bearer, bearer, basic, [bearer, bearer], 'Basic !', '\u00ff']);
}

const HEADERS: ReadonlyArray<Record<string, string>> = [
  {},
  {},
  { 'user-agent': 'fuzz/1.0 (; x' },
  { 'content-type': 'text/plain; charset=x' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': ';;=' },
  { cookie: 'gb_session=s%3Ax.y; gb_browser_x=%; =a; b' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { 'last-event-id': '-1', accept: 'text/event-stream' },
  { 'x-forwarded-for': '1.2.3.4, :::', 'x-forwarded-proto': 'https' },
  { 'if-none-match': '*', range: 'bytes=0-1' },
  { expect: '100-continue' },
  { upgrade: 'websocket', connection: 'upgrade' },
  { 'accept-language': 'x'.repeat(8000) },
];

/** Cut short, with a byte that is another one, or said twice. */
function broken(chance: Chance, body: Buffer): Buffer {
  if (body.length === 0 || chance.happens(0.4)) return body;
  const at = chance.between(0, body.length - 1);
  const flipped = Buffer.from(body);
  flipped[at] = chance.between(0, 255);
  return chance.pick([body.subarray(0, at), flipped, Buffer.concat([body, body])]);
}

const SEPARATORS = [';', 'a&', '[', '--b\r\n', '%41'];

function carriedFor(source: Source, path: string): Carried | undefined {
  const { chance } = source;
  if (chance.happens(0.35)) return undefined;
  const carried = chance.pick(Object.values(CARRIERS))(fieldsFor(source, path));
  if (chance.happens(0.97)) return carried;
  return { ...carried, body: Buffer.from(chance.pick(SEPARATORS).repeat(chance.between(1, 60_000))) };
}

/** How often a request is one of the nineteen old calls with a good token, so that it comes as far as the new API. */
const OLD_CALL = 0.25;

function oldCall({ chance, valid }: Source): Sent {
  const { tokens, updateIds, ownProfile } = valid;
  const {
    method = 'GET',
    path,
    headers = {},
    body = '',
  } = randomCall({ chance, token: tokens[0], updateIds, ownProfile }).request;
  return { method, path, headers, body: Buffer.from(body) };
}

/** One that is none of the nineteen calls by intention, by chance. */
export function anyRequest(source: Source): Sent {
  const { chance } = source;
  const path = chance.pick(PATHS);
  const carried = carriedFor(source, path);
  const coding = chance.happens(0.5) ? 'identity' : chance.pick(Object.keys(CODINGS));
  const packed = carried ? (CODINGS[coding]?.(carried.body) ?? carried.body) : Buffer.alloc(0);
  const authorization = authorizationFor(source, path);
  return {
    method: chance.pick(METHODS),
    path: path + queryFor(source, path),
    headers: {
      ...(carried && { 'content-type': carried.type }),
      ...(coding !== 'identity' && { 'content-encoding': coding }),
      ...(authorization !== undefined && { authorization }),
      ...chance.pick(HEADERS),
    },
    body: broken(chance, packed),
  };
}

/** One request, by chance. */
export function randomRequest(source: Source): Sent {
  return source.chance.happens(OLD_CALL) ? oldCall(source) : anyRequest(source);
}
