import { once } from 'node:events';
import type { Server } from 'node:http';
import express, { type Request } from 'express';
import {
  findCarriedToken,
  hasTokenBeforeBody,
  tokenIfAny,
  tokenInHeader,
} from '../../src/http/wire/bearer-token.ts';
import { LegacyError } from '../../src/http/wire/legacy-error.ts';
import { rawForm, type RawRequest, sendRaw } from '../support/callers/raw-request.ts';
import { portOf } from '../support/servers/free-port.ts';
import { getWithLines } from './support/knock.ts';

/** Where the token of a call stands (docs/old-api.md Q7), from a server that only looks for the token. */

let server: Server;
let base = '';

/** What became of looking, or the refusal. */
async function lookedFor(look: () => unknown): Promise<unknown> {
  try {
    return (await look()) ?? 'none';
  } catch (error) {
    if (error instanceof LegacyError) return { status: error.status, message: error.message };
    return String(error);
  }
}

const lookAt = async (req: Request) => ({
  found: await lookedFor(() => findCarriedToken(req)),
  ifAny: await lookedFor(() => tokenIfAny(req)),
  isBeforeBody: hasTokenBeforeBody(req),
});

beforeAll(async () => {
  const app = express().use(express.raw({ type: '*/*' }));
  app.use((req, res) => void lookAt(req).then((found) => res.json(found)));
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${portOf(server)}`;
});

afterAll(() => void server.close());

const CALL = '/1/user.json';
const BEARER = { authorization: 'Bearer h' };

const header = (token: string) => ({ token, carrier: 'header' });
const query = (token: string) => ({ token, carrier: 'query' });
const body = (token: string) => ({ token, carrier: 'body' });

const TWICE = { status: 400, message: 'The access token was sent more than once with different values.' };
const MALFORMED = { status: 400, message: 'The request body could not be read.' };

/** What is found when no token has to be refused. */
const found = (what: unknown, isBeforeBody: boolean) => ({ found: what, ifAny: what, isBeforeBody });
const refused = (what: unknown, isBeforeBody: boolean) => ({ found: what, ifAny: 'none', isBeforeBody });

const look = async (request: Partial<RawRequest>) =>
  (await sendRaw(base, { method: 'POST', path: CALL, ...request })).json;

test.each<[name: string, request: Partial<RawRequest>, seen: object]>([
  ['nothing', {}, found('none', false)],
  ['a header', { headers: BEARER }, found(header('h'), true)],
  ['a query', { path: `${CALL}?access_token=q` }, found(query('q'), true)],
  ['a form', rawForm('access_token=b'), found(body('b'), false)],
  [
    'the same in all places',
    { path: `${CALL}?access_token=h`, ...rawForm('access_token=h', BEARER) },
    found(header('h'), true),
  ],
  [
    'the same in query and form',
    { path: `${CALL}?access_token=b`, ...rawForm('access_token=b') },
    found(query('b'), true),
  ],
  ['another in the query', { path: `${CALL}?access_token=q`, headers: BEARER }, refused(TWICE, true)],
  ['another in the form', rawForm('access_token=b', BEARER), refused(TWICE, true)],
  ['two in the form', rawForm('access_token=b&access_token=c'), refused(TWICE, false)],
  ['one twice in the query', { path: `${CALL}?access_token=q&access_token=q` }, found(query('q'), true)],
  [
    'empty ones',
    { path: `${CALL}?access_token=`, ...rawForm('access_token=', { authorization: 'Bearer ' }) },
    found('none', false),
  ],
  [
    'a body that cannot be read',
    { ...rawForm('{'), headers: { 'content-type': 'application/json' } },
    refused(MALFORMED, false),
  ],
  [
    'a header, and a body that cannot be read',
    { ...rawForm('{'), headers: { 'content-type': 'application/json', ...BEARER } },
    found(header('h'), true),
  ],
])('of a call with %s', async (_name, request, seen) => {
  expect(await look(request)).toEqual(seen);
});

const withLines = async (lines: string[]) => {
  const answer = await getWithLines({ bridgeUrl: base }, CALL, lines);
  return (JSON.parse(answer.text) as { found: unknown }).found;
};

test('every Authorization header counts, in any spelling, and no other header does', async () => {
  expect(await withLines(['Authorization: Basic YTpi', 'AUTHORIZATION: Bearer h'])).toEqual(header('h'));
  expect(await withLines(['Authorization: Bearer h', 'Authorization: Bearer i'])).toEqual(TWICE);
  expect(await withLines(['X-Authorization: Bearer h', 'Authentication: Bearer h'])).toBe('none');
  expect(await withLines(['X-Scheme: authorization', 'Bearer: h'])).toBe('none');
});

test.each<[string, string | undefined]>([
  ['Bearer h', 'h'],
  ['  bEARER   h ', 'h'],
  ['OAuth h', 'h'],
  ['Bearer h i', 'h i'],
  ['Bearer ', undefined],
  ['Bearer', undefined],
  ['Bearer\th', undefined],
  ['Basic h', undefined],
  ['OAuth2 h', undefined],
  ['XBearer h', undefined],
  ['Bearers h', undefined],
  ['1 Bearer h', undefined],
  ['', undefined],
])('the header %j carries %j', (text, token) => {
  expect(tokenInHeader(text)).toBe(token);
});
