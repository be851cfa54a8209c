import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { exchangeFields } from '../../support/callers/legacy-calls.ts';
import { json, rawForm, type RawRequest } from '../../support/callers/raw-request.ts';
import { carriersOf, type Connected, TOKEN_PATH } from './flows.ts';
import type { Stage } from './stage.ts';

/** Calls that are refused, with real secrets and near guesses in every place where a program could put them. */

const twice = (value: string) => encodeURIComponent(encodeURIComponent(value));
const base64 = (value: string) => Buffer.from(value).toString('base64');

/** A secret as a part of addresses that nobody serves, or that expect something else there. */
function inAddresses(value: string): RawRequest[] {
  const written = [value, encodeURIComponent(value), twice(value), value.slice(2), base64(value)];
  const forms = [...written, Buffer.from(value).toString('hex')];
  return forms.flatMap((text) =>
    [`/1/${text}`, `/${text}`, `/1/profiles/${text}.json`, `/approve/${text}`, `/apps/${text}`].map(
      (path) => ({ path }),
    ),
  );
}

function inHeaders(value: string): RawRequest[] {
  return ['/1/nothing.json', '/', '/health', '/callback', '/approve/x'].map((path) => ({
    path,
    headers: {
      referer: `https://old-app.example/?access_token=${value}`,
      cookie: `access_token=${value}; gb_browser_x=${value}; other=${encodeURIComponent(value)}`,
      'user-agent': `client ${value}`,
      'x-forwarded-for': value,
      'x-forwarded-host': encodeURIComponent(value),
      'x-request-id': value,
    },
  }));
}

const BROKEN: ReadonlyArray<(fields: Record<string, string>) => Pick<RawRequest, 'headers' | 'body'>> = [
  (fields) => ({ headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(fields)}}` }),
  (fields) => ({ headers: { 'content-type': 'application/json' }, body: `{"code":${fields['code']}` }),
  (fields) => ({
    headers: { 'content-type': `multipart/form-data; boundary="${fields['client_secret']}"` },
    body: JSON.stringify(fields),
  }),
  (fields) => ({ headers: { 'content-type': 'text/plain' }, body: JSON.stringify(fields) }),
  (fields) => rawForm(new URLSearchParams(fields).toString(), { 'content-encoding': 'gzip' }),
  (fields) => json({ ...fields, x: (fields['code'] ?? '').repeat(10_000) }),
  (fields) => json({ ...fields, code: { [fields['code'] ?? '']: fields['client_secret'] } }),
  (fields) => json({ ...fields, grant_type: fields['code'] ?? '' }),
  (fields) => json({ ...fields, redirect_uri: `https://evil.example/?code=${fields['code']}` }),
  (fields) => json({ ...fields, client_id: fields['client_secret'] ?? '' }),
  (fields) => rawForm(`${new URLSearchParams(fields).toString()}&code=${fields['code']}`),
];

async function askAll(stage: Stage, requests: readonly RawRequest[]): Promise<void> {
  for (const request of requests) await stage.answers.ask(request);
}

/** Malformed and wrong exchanges with the real secret and a real code, used up or not. */
export async function exchangeBadly(stage: Stage, { app, code }: Connected): Promise<void> {
  const fields = exchangeFields(app, code);
  const query = `?${new URLSearchParams(fields).toString()}`;
  const requests = BROKEN.map((content) => ({ method: 'POST', path: TOKEN_PATH, ...content(fields) }));
  await askAll(stage, [
    ...requests,
    { method: 'POST', path: TOKEN_PATH + query, ...json(fields) },
    { path: TOKEN_PATH + query },
    // The code was used: a replay.
    { method: 'POST', path: TOKEN_PATH, ...json(fields) },
  ]);
}

/** Guesses that are wrong, by one character or as a whole. */
export async function guess(stage: Stage, { app, code }: Connected): Promise<void> {
  const wrong = {
    code: `1/${randomBytes(16).toString('hex')}`,
    secret: randomBytes(32).toString('base64url'),
  };
  const token = `1/${randomBytes(16).toString('hex')}`;
  for (const value of [wrong.code, wrong.secret, token]) stage.collection.add('wrong guess', value);
  const fields = exchangeFields(app, code);
  const form = (changed: object) => ({
    method: 'POST',
    path: TOKEN_PATH,
    ...json({ ...fields, ...changed }),
  });
  const authorization = `Basic ${base64(`${app.clientId}:${wrong.secret}`)}`;
  await askAll(stage, [
    form({ client_secret: wrong.secret }),
    form({ code: wrong.code }),
    {
      method: 'POST',
      path: TOKEN_PATH,
      ...rawForm(`code=${code}&grant_type=authorization_code`, { authorization }),
    },
    ...carriersOf('/1/profiles.json', token),
    { path: `/callback?state=${wrong.secret}&code=${wrong.code}` },
    { path: `/callback?error=${encodeURIComponent(token)}&error_description=${wrong.secret}` },
  ]);
}

/** Real secrets where they do not belong. */
export async function misplace(stage: Stage, { app, code, token }: Connected): Promise<void> {
  const { collection } = stage;
  const cookie = `gb_browser_${'a'.repeat(24)}=${collection.some('browser cookie')}`;
  const form = collection.some('form token');
  const page = `/approve/${'a'.repeat(24)}`;
  const body = `_form=${form}&decision=allow&x=${encodeURIComponent(token)}`;
  const posts = [body, body + token.repeat(1000)].map((text) => ({
    method: 'POST',
    path: page,
    ...rawForm(text, { cookie }),
  }));
  const address = `/oauth2/authorize?client_id=${app.clientId}&redirect_uri=${encodeURIComponent(`${app.callback}?code=${code}`)}`;
  await askAll(stage, [
    ...[token, code, app.clientSecret, collection.some('access token')].flatMap((value) => [
      ...inAddresses(value),
      ...inHeaders(value),
    ]),
    ...['PUT', 'DELETE', 'HEAD', 'OPTIONS'].flatMap((method) =>
      carriersOf('/1/user.json', token).map((request) => ({ ...request, method })),
    ),
    ...posts,
    { path: address },
    { path: `${address}&state=${encodeURIComponent(collection.some('app state'))}` },
  ]);
}

/** What is no HTTP, with secrets in it. */
export async function sendNoHttp(stage: Stage, { token }: Connected): Promise<void> {
  const starts = [
    `GET /1/user.json?access_token=${token} HTTP/1.1\r\nbroken ${token}\r\n\r\n`,
    `GET /?access_token=${token} with spaces HTTP/1.1\r\n\r\n`,
    `${token}\r\n\r\n`,
  ];
  for (const start of starts) {
    const socket = connectSocket(Number(new URL(stage.bridgeUrl).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    socket.end(start);
    await once(socket, 'close');
    stage.answers.places.push({ where: 'the answer to what is no HTTP', text });
  }
}
