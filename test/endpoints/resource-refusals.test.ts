import { createHash, createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { openAccessToken, openRefreshToken } from '../../src/domain/grants/sealed-pair.ts';
import type { MappingState } from '../../src/store/tables/tables.ts';
import { bodyOf, forward, send } from '../support/servers/forward.ts';
import { portOf } from '../support/servers/free-port.ts';
import { exchange, freshCode, issueToken, read } from '../support/callers/legacy-calls.ts';
import { json, type RawAnswer, type RawRequest, rawForm } from '../support/callers/raw-request.ts';
import { type Connected, connectApp } from './support/connected.ts';
import { type Door, openDoor } from './support/door.ts';
import {
  expectChallenge,
  expectInvalidToken,
  expectRefusal,
  expectTokenError,
} from './support/expectations.ts';
import { expectAlive, knock } from './support/knock.ts';

/** docs/threats.md R3, R4, D82 to D85 and F132: tokens that serve nothing. */

const PATH = '/1/profiles.json';

let door: Door;
let api: Server;
let isForbidden = false;

/** The main API, which may say that the grant does not cover the read. */
function startApi(): Server {
  const refusal = { errors: [{ message: 'no', extensions: { code: 'FORBIDDEN' } }] };
  const headers = { 'content-type': 'application/json' };
  return createServer((request, response) => {
    bodyOf(request)
      .then((body) => forward(request, body, door.proxy.origin))
      .then((answer) =>
        send(
          response,
          isForbidden ? { status: 200, headers, body: Buffer.from(JSON.stringify(refusal)) } : answer,
        ),
      )
      .catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
}

beforeAll(async () => {
  api = startApi();
  await once(api, 'listening');
  const env = { MODERN_API_URL: `http://127.0.0.1:${portOf(api)}`, PROFILES_FRESH_SECONDS: '0' };
  door = await openDoor({ env });
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
  api.close();
  api.closeAllConnections();
});

const ask = (token: string) => knock(door, { path: `${PATH}?access_token=${encodeURIComponent(token)}` });

async function connectNew(): Promise<Connected> {
  return connectApp(door, await door.addApp());
}

const durable = () => door.bridge.context.store.durable;

/** A call for each way to the account. */
const CALLS: Array<Partial<RawRequest> & { path: string }> = [
  { path: '/1/user.json' },
  { path: PATH },
  { path: `/1/profiles/${'a'.repeat(24)}/updates/sent.json` },
  { method: 'POST', path: '/1/updates/create.json', ...rawForm(`profile_ids[]=${'a'.repeat(24)}&text=x`) },
];

async function forbidden({ token }: Connected): Promise<RawAnswer[]> {
  isForbidden = true;
  try {
    const headers = { authorization: `Bearer ${token}` };
    return await Promise.all(
      CALLS.map((call) => knock(door, { ...call, headers: { ...call.headers, ...headers } })),
    );
  } finally {
    isForbidden = false;
  }
}

test('row R4 a grant without the scope of a read is 403 with code 1002, and the way to a wider one', async () => {
  const connected = await connectNew();
  const { id, client_id: clientId } = await connected.grant();
  const scope = 'posts:read posts:write offline_access';
  await durable().updateTable('grants').set({ scope }).where('id', '=', id).execute();
  const reason = expect.stringContaining('account:read');
  for (const answer of await forbidden(connected)) {
    expectRefusal(answer, 403, 1002);
    expect(answer.json).toMatchObject({
      reauthorize: { reason, link: `${door.bridgeUrl}/apps/${clientId}` },
    });
  }
});

test('row R4 a read that is forbidden to the account itself is 403 with code 1002, and no consent would help', async () => {
  const connected = await connectNew();
  for (const answer of await forbidden(connected)) {
    expectRefusal(answer, 403, 1002);
    expect(answer.json).not.toHaveProperty('reauthorize');
  }
  expect(await read(door, PATH, connected.token)).toMatchObject({ status: 200 });
});

test.each([
  ['unknown', `1/${'0'.repeat(32)}`],
  ['malformed', 'x'],
  ['without its first characters', '0123456789abcdef0123456789abcdef'],
  ['D84 SQL', "' or 1=1--"],
  ['D84 SQL with a union', "1/x' union select * from mappings--"],
  ['D84 NoSQL', '{"$gt":""}'],
  ['D84 a wildcard', '%'],
  ['D84 one character of any kind', '_'],
  ['D84 a wildcard behind the slash', '1/%'],
  ['D85 a NUL', '1/abc\0'],
  ['an emoji', '1/\u{1f511}'],
])('rows R3, D84 and D85 a token that is %s is the recorded 401', async (_case, token) => {
  const answer = await ask(token);
  expectInvalidToken(answer);
  expect(answer.text).toBe('{"error":"The provided access token is invalid","code":401}');
});

test.each(['%ff', '1/%c3%28', '1/%', '%ed%a0%bd'])(
  'row D85 the broken escape %s is the recorded 401',
  async (raw) => {
    expectInvalidToken(await knock(door, { path: `${PATH}?access_token=${raw}` }));
  },
);

test.each(['access_token[$gt]=', 'access_token[$ne]=x'])(
  'row D84 the operator %s is no token',
  async (query) => {
    expectChallenge(await knock(door, { path: `${PATH}?${query}` }));
  },
);

test('row D84 an object in a JSON body is no token', async () => {
  const content = json({ access_token: { $gt: '' } });
  expectChallenge(await knock(door, { method: 'POST', path: PATH, ...content }));
});

test('row D85 a token is compared byte for byte: no case, space, NUL or normal form makes two equal', async () => {
  const { token, app } = await connectNew();
  const row = await durable()
    .selectFrom('mappings')
    .selectAll()
    .where('client_id', '=', app.clientId)
    .where('source', '=', 'issued')
    .executeTakeFirstOrThrow();
  const composed = '1/caf\u00e9';
  const token_digest = door.bridge.context.vault.digest(composed);
  await durable()
    .insertInto('mappings')
    .values({ ...row, id: 'composed', token_digest })
    .execute();
  expect(await ask(composed)).toMatchObject({ status: 200 });
  for (const other of [
    composed.normalize('NFD'),
    `${token}\0`,
    `${token}\u200b`,
    ` ${token}`,
    token.toUpperCase(),
  ])
    expectInvalidToken(await ask(other));
});

/** The 401 of a token that the bridge knows: the recorded one, and the way back (docs/decisions/0002). */
async function expectKnownRefused(token: string): Promise<void> {
  for (const path of [PATH, '/1/user.json', '/1/profiles/x.json', '/1/user/deauthorize.json']) {
    const answer = await read(door, path, token);
    expectInvalidToken(answer);
    expect(Object.keys(answer.json as object)).toEqual(['error', 'code', 'reauthorize']);
  }
}

test('row D82 the token of a deauthorized app is refused, a second call too (Q14)', async () => {
  const { token, app } = await connectNew();
  const second = await issueToken(door, { app });
  expect(await read(door, '/1/user/deauthorize.json', token)).toMatchObject({
    status: 200,
    json: { success: true },
  });
  await expectKnownRefused(token);
  await expectKnownRefused(second);
});

test('row D82 a code from before the deauthorization is over too', async () => {
  const connected = await connectNew();
  const code = await connected.mint();
  await read(door, '/1/user/deauthorize.json', connected.token);
  expectTokenError(await exchange(door, code, connected.app), 400, 'invalid_grant');
});

test.each<MappingState>(['unmapped', 'reauthorization_required', 'revoked', 'migrated'])(
  'row D82 a token whose mapping is %s is refused',
  async (state) => {
    const { token, app } = await connectNew();
    await durable().updateTable('mappings').set({ state }).where('client_id', '=', app.clientId).execute();
    await expectKnownRefused(token);
  },
);

test("row D82 the owner's token is refused until its owner has authorized the app, and served afterwards", async () => {
  const app = await door.addApp();
  await expectKnownRefused(app.ownerToken);
  await connectApp(door, app);
  expect(await read(door, PATH, app.ownerToken)).toMatchObject({ status: 200 });
});

test('row D82 the token of a dead grant is refused', async () => {
  const { token, grant } = await connectNew();
  const { id } = await grant();
  const dead = { state: 'dead', dead_at: Date.now(), dead_cause: 'refused' } as const;
  await durable().updateTable('grants').set(dead).where('id', '=', id).execute();
  for (const path of [PATH, '/1/user.json']) expectInvalidToken(await read(door, path, token));
});

test('row D82 the token of a retired app is refused', async () => {
  const { token, app } = await connectNew();
  await durable()
    .updateTable('apps')
    .set({ retired_at: Date.now() })
    .where('client_id', '=', app.clientId)
    .execute();
  expectInvalidToken(await read(door, PATH, token));
});

test('row D83 nothing else that the bridge holds is a token: codes, modern tokens, digests, secrets, ids', async () => {
  const { token, app, grant } = await connectNew();
  const { context } = door.bridge;
  const row = await grant();
  const digest = context.vault.digest(token);
  const { id } = await durable()
    .selectFrom('mappings')
    .select('id')
    .where('token_digest', '=', digest)
    .executeTakeFirstOrThrow();
  const others = [
    await freshCode(door, { app }),
    openAccessToken(context, row),
    openRefreshToken(context, row),
    digest,
    digest.slice(digest.indexOf('.') + 1),
    row.access_token_sealed ?? '',
    app.clientSecret,
    app.clientId,
    row.id,
    id,
  ];
  for (const other of others) {
    const answer = await ask(other);
    expectInvalidToken(answer);
    expect(answer.text).not.toContain(other);
  }
});

test('row F132 a token that somebody writes into the database, without the digest key, opens nothing', async () => {
  const { app } = await connectNew();
  const row = await durable()
    .selectFrom('mappings')
    .selectAll()
    .where('client_id', '=', app.clientId)
    .where('source', '=', 'issued')
    .executeTakeFirstOrThrow();
  const [keyId = ''] = row.token_digest.split('.');
  const planted = `1/${'e'.repeat(32)}`;
  const plain = createHash('sha256').update(planted);
  const keyed = createHmac('sha256', keyId).update(planted);
  const digests = [
    planted,
    plain.copy().digest('hex'),
    ...[plain, keyed].map((hash) => hash.digest('base64url')),
  ];
  for (const [index, digest] of digests.flatMap((one) => [one, `${keyId}.${one}`]).entries()) {
    const values = { ...row, id: `planted-${index}`, token_digest: digest };
    await durable().insertInto('mappings').values(values).execute();
  }
  expectInvalidToken(await ask(planted));
});
