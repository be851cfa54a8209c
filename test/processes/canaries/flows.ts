import { randomBytes } from 'node:crypto';
import { authorize, type LegacyApp } from '../../support/callers/authorize.ts';
import { exchangeFields, tokenOf } from '../../support/callers/legacy-calls.ts';
import { json, multipart, rawForm, type RawRequest } from '../../support/callers/raw-request.ts';
import type { Stage } from './stage.ts';

/** Whole flows of the old generation, each with secrets of its own, over every way that old clients use. */

export const TOKEN_PATH = '/1/oauth2/token.json';

export interface Connected {
  app: LegacyApp;
  code: string;
  token: string;
}

type Fields = Record<string, string>;
type Exchange = (fields: Fields, app: LegacyApp) => Pick<RawRequest, 'headers' | 'body'>;

const basic = ({ clientId, clientSecret }: LegacyApp) =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

const EXCHANGES: readonly Exchange[] = [
  (fields) => rawForm(new URLSearchParams(fields).toString()),
  (fields) => json(fields),
  (fields) => multipart(fields),
  ({ client_id: _id, client_secret: _secret, ...fields }, app) =>
    rawForm(new URLSearchParams(fields).toString(), { authorization: basic(app) }),
];

/** A state that looks different in every encoding. */
function freshState(stage: Stage): string {
  const state = `state of the app/${randomBytes(12).toString('hex')}?a=1&b="+é`;
  stage.collection.add('app state', state);
  return state;
}

/** The person lets the app in with a browser of its own; the code. */
export async function authorizeApp(stage: Stage, app: LegacyApp): Promise<string | undefined> {
  const browser = stage.answers.browser();
  const { bridgeUrl, person } = stage;
  const { code } = await authorize({ bridgeUrl, app, person, browser, state: freshState(stage) });
  const decoded = code === undefined ? undefined : decodeURIComponent(code);
  stage.collection.add('legacy code', decoded);
  return decoded;
}

/** A whole flow; `turn` chooses how the code is exchanged. */
export async function connect(stage: Stage, app: LegacyApp, turn: number): Promise<Connected> {
  const code = await authorizeApp(stage, app);
  if (code === undefined) throw new Error('the flow gave no code');
  const content = EXCHANGES[turn % EXCHANGES.length]?.(exchangeFields(app, code), app);
  const token = tokenOf(await stage.answers.ask({ method: 'POST', path: TOKEN_PATH, ...content }));
  stage.collection.add('legacy token', token);
  return { app, code, token };
}

/** The person refuses on either page: the app gets its state back and no code. */
export async function refuse(stage: Stage, app: LegacyApp, page: 'approval' | 'consent'): Promise<void> {
  const browser = stage.answers.browser();
  const { bridgeUrl, person } = stage;
  await authorize({ bridgeUrl, app, person, browser, refuse: page, state: freshState(stage) });
}

const encoded = encodeURIComponent;

/** A token where any old client puts it; in the order of docs/old-api.md Q7. */
export function carriersOf(path: string, token: string): RawRequest[] {
  return [
    { path, headers: { authorization: `Bearer ${token}` } },
    { path, headers: { authorization: `OAuth ${token}` } },
    { path: `${path}?access_token=${token}` },
    { path: `${path}?access_token=${encoded(token)}` },
    { method: 'POST', path, ...rawForm(`access_token=${encoded(token)}`) },
    { method: 'POST', path, ...json({ access_token: token }) },
    { method: 'POST', path, ...multipart({ access_token: token }) },
  ];
}

/** Reads with a token by every carrier; the statuses. */
export async function readEverywhere(stage: Stage, { token }: Connected): Promise<number[]> {
  const requests = ['/1/profiles.json', '/1/user.json'].flatMap((path) => carriersOf(path, token));
  const statuses: number[] = [];
  for (const request of requests) statuses.push((await stage.answers.ask(request)).status);
  return statuses;
}

/** One read, which refreshes what has expired. */
export async function readOnce(stage: Stage, { token }: Connected): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await stage.answers.ask({ path: '/1/profiles.json', headers })).status;
}

export async function deauthorize(stage: Stage, { token }: Connected): Promise<number> {
  const path = `/1/user/deauthorize.json?access_token=${encoded(token)}`;
  return (await stage.answers.ask({ method: 'POST', path })).status;
}
