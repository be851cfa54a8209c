import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { revokeToken } from '../../src/domain/tokens/revoke-token.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { MINUTE } from '../../src/shared/lifetimes.ts';
import { plan } from '../lifecycle/support/lifecycle-rows.ts';
import { connectApp } from '../endpoints/support/connected.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { expectAlive } from '../endpoints/support/knock.ts';
import { actionsOf, addWaitingToken, mappingOf } from '../support/bridge/waiting-token.ts';
import { type RawAnswer, sendRaw } from '../support/callers/raw-request.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { bodyOf, keysOf, newSigner, postLeaks, reportTo, signed } from './support/signer.ts';

/** POST /leaks: who may report, what becomes of the tokens, and what the answers tell. */

const scanner = newSigner('a'.repeat(64));
const other = newSigner('second');
const stranger = newSigner(scanner.keyId);

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const label = (token: string, said: string) => ({
  token_hash: hashOf(token),
  token_type: 'old_token',
  label: said,
});
const refusedAt = (door: Door) => postLeaks(door, {}, '[]');

describe.each(databaseKinds)('on %s', (kind) => {
  let door: Door;
  let database: TestDatabase | undefined;

  beforeAll(async () => {
    database = kind === 'postgres' ? await freshDatabase() : undefined;
    const env = {
      LEAK_REPORT_KEYS: keysOf(scanner, other),
      ...(database && { DATABASE_URL: database.url }),
    };
    door = await openDoor({ env });
  });

  afterAll(async () => {
    await expectAlive(door);
    await door.stop();
    await database?.drop();
  });

  const waiting = () => addWaitingToken(door.bridge, { clientId: door.app.clientId });
  const stateOf = async (token: string) => (await mappingOf(door.bridge, token))?.state;
  const entriesOf = async (mappingId: string) =>
    door.bridge.context.store.durable
      .selectFrom('events')
      .select(['action', 'actor', 'reason'])
      .where('mapping_id', '=', mappingId)
      .orderBy('id')
      .execute();
  const forget = () => door.bridge.context.counts.forgetEnded();

  test('a signed report ends a token that works, with its grant, and says which tokens are real', async () => {
    const app = await door.addApp();
    const { token } = await connectApp(door, app);
    const call = () =>
      sendRaw(door.bridgeUrl, { path: '/1/user.json', headers: { authorization: `Bearer ${token}` } });
    expect(await call()).toMatchObject({ status: 200 });
    const grantNow = async () =>
      door.bridge.context.store.durable
        .selectFrom('grants')
        .select(['state', 'dead_cause', 'refresh_token_sealed'])
        .where('client_id', '=', app.clientId)
        .executeTakeFirstOrThrow();
    const unknown = newLegacyToken();
    const answer = await reportTo(door, scanner, [{ token }, { token: unknown }]);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual([label(token, 'true_positive'), label(unknown, 'false_positive')]);
    expect(await call()).toMatchObject({ status: 401 });
    // The app has one more token of the account, which the same grant serves.
    expect(await grantNow()).toMatchObject({ state: 'ready' });
    const mapping = await mappingOf(door.bridge, token);
    expect(mapping).toMatchObject({ state: 'revoked', reason: 'leaked' });
    expect((await entriesOf(mapping?.id ?? '')).slice(-2)).toEqual([
      {
        action: 'token_leaked',
        actor: `leaks:${scanner.keyId}`,
        reason: 'content https://code.example/repo/config.txt',
      },
      { action: 'token_revoked', actor: `leaks:${scanner.keyId}`, reason: 'leaked' },
    ]);
    await reportTo(door, scanner, [{ token: app.ownerToken }]);
    expect(await grantNow()).toEqual({
      state: 'dead',
      dead_cause: 'deauthorized',
      refresh_token_sealed: null,
    });
  });

  test('a token that waits ends too; one that had ended stays as it is', async () => {
    const [one, two] = [await waiting(), await waiting()];
    const asked = { mappingId: two.mappingId, reason: 'lost', actor: 'command', requestId: null };
    await revokeToken(door.bridge.context, asked);
    const answer = await reportTo(
      door,
      other,
      [one, two].map(({ token }) => ({ token })),
    );
    expect(answer.json).toEqual([label(one.token, 'true_positive'), label(two.token, 'true_positive')]);
    expect(await mappingOf(door.bridge, one.token)).toMatchObject({ state: 'revoked', reason: 'leaked' });
    expect(await mappingOf(door.bridge, two.token)).toMatchObject({ state: 'revoked', reason: 'lost' });
    expect(await actionsOf(door.bridge, two.mappingId)).toEqual(['token_revoked', 'token_leaked']);
  });

  test('the same report again changes nothing, and is answered alike', async () => {
    const { token, mappingId } = await waiting();
    const first = await reportTo(door, scanner, [{ token }]);
    const seen = [await mappingOf(door.bridge, token), await entriesOf(mappingId)];
    const again = await Promise.all([1, 2, 3].map(() => reportTo(door, scanner, [{ token }])));
    for (const { status, text } of again) expect([status, text]).toEqual([200, first.text]);
    expect([await mappingOf(door.bridge, token), await entriesOf(mappingId)]).toEqual(seen);
  });

  test('a token in the form of an address is known', async () => {
    const { token } = await waiting();
    const inAddress = encodeURIComponent(token);
    const answer = await reportTo(door, scanner, [{ token: inAddress }]);
    expect(answer.json).toEqual([label(inAddress, 'true_positive')]);
    expect(await stateOf(token)).toBe('revoked');
  });

  test('a token that many entries name is one token, with at most ten places', async () => {
    const { token, mappingId } = await waiting();
    const places = Array.from({ length: 15 }, (_, at) => ({ token, url: `https://code.example/${at}` }));
    const answer = await reportTo(door, scanner, places);
    expect(answer.json).toEqual([label(token, 'true_positive')]);
    const actions = await actionsOf(door.bridge, mappingId);
    expect(actions.filter((action) => action === 'token_leaked')).toHaveLength(10);
    expect(actions.filter((action) => action === 'token_revoked')).toHaveLength(1);
  });

  const HEADERS_OF_CHANCE = new Set(['date', 'x-request-id']);
  const shapeOf = ({ status, headers, text }: RawAnswer) => ({
    status,
    text,
    headers: Object.keys(headers).filter((name) => !HEADERS_OF_CHANCE.has(name)),
  });

  test('without a right signature every report gets the same refusal, and nothing is done', async () => {
    forget();
    const { token, mappingId } = await waiting();
    const body = bodyOf([{ token }]);
    const good = signed(scanner, body);
    const without = (name: string) =>
      Object.fromEntries(Object.entries(good).filter(([given]) => given !== name));
    const packed = gzipSync(body);
    const large = bodyOf([{ token, url: 'x'.repeat(1024 * 1024) }]);
    const tries: Array<[Record<string, string>, string | Buffer]> = [
      [{}, body],
      [without('github-public-key-signature'), body],
      [without('github-public-key-identifier'), body],
      [{ ...good, 'github-public-key-identifier': 'nobody' }, body],
      [{ ...good, 'github-public-key-identifier': other.keyId }, body],
      [{ ...good, 'github-public-key-identifier': '__proto__' }, body],
      [{ ...good, 'github-public-key-signature': 'not base64!' }, body],
      [{ ...good, 'github-public-key-signature': Buffer.alloc(72).toString('base64') }, body],
      [signed(stranger, body), body],
      [good, `${body} `],
      [good, ''],
      [signed(scanner, large), large],
      [{ ...signed(scanner, packed), 'content-encoding': 'gzip' }, packed],
      [signed(stranger, 'no json'), 'no json'],
    ];
    const answers: RawAnswer[] = [];
    for (const [headers, sent] of tries) answers.push(await postLeaks(door, headers, sent));
    const [first] = answers;
    expect(first).toMatchObject({ status: 403, json: { error: 'The report was refused.' } });
    for (const answer of answers) expect(shapeOf(answer)).toEqual(shapeOf(first as RawAnswer));
    expect(await stateOf(token)).toBe('unmapped');
    expect(await actionsOf(door.bridge, mappingId)).toEqual([]);
  });

  test('what is signed and no list is told so; one broken entry keeps no other token alive', async () => {
    for (const body of ['no json', '{}', '"1/abc"', 'null', ''])
      expect(await postLeaks(door, signed(scanner, body), body)).toMatchObject({ status: 400 });
    const { token } = await waiting();
    // Some services write a byte order mark first.
    const mixed = `\uFEFF${JSON.stringify([
      null,
      17,
      [],
      { token: 5 },
      { token: '' },
      { token: 'x'.repeat(5000) },
      { token: 'half a pair \ud800', url: 'x' },
      { token, url: { odd: true }, type: null },
      { token, extra: 'ignored' },
    ])}`;
    const answer = await postLeaks(door, signed(scanner, mixed), mixed);
    expect(answer).toMatchObject({ status: 200, json: [{ label: 'true_positive' }] });
    expect(await stateOf(token)).toBe('revoked');
    expect(await reportTo(door, scanner, [])).toMatchObject({ status: 200, json: [] });
  });

  test('only POST at the exact address is there', async () => {
    for (const [method, path] of [
      ['GET', '/leaks'],
      ['PUT', '/leaks'],
      ['POST', '/leaks/'],
      ['POST', '/Leaks'],
    ] as const)
      expect(await sendRaw(door.bridgeUrl, { method, path, body: '[]' })).toMatchObject({ status: 404 });
  });

  test('a report of a thousand tokens is one request', async () => {
    const known = await Promise.all(Array.from({ length: 120 }, waiting));
    const unknown = Array.from({ length: 900 }, () => ({ token: newLegacyToken() }));
    const answer = await reportTo(door, scanner, [...unknown, ...known.map(({ token }) => ({ token }))]);
    const labels = (answer.json as Array<{ label: string }>).filter((one) => one.label === 'true_positive');
    expect(labels).toHaveLength(120);
    for (const { token } of known) expect(await stateOf(token)).toBe('revoked');
  });

  test('a network whose reports are refused again and again comes to its turn once a second', async () => {
    await Promise.all(Array.from({ length: 32 }, () => refusedAt(door)));
    const before = performance.now();
    const answers = await Promise.all([1, 2, 3].map(() => refusedAt(door)));
    expect(performance.now() - before).toBeGreaterThan(900);
    for (const { status } of answers) expect([403, 429]).toContain(status);
  });
});

test('without keys the address is as unknown as any other', async () => {
  const door = await openDoor();
  try {
    const { token } = await addWaitingToken(door.bridge, { clientId: door.app.clientId });
    const body = bodyOf([{ token }]);
    const send = (path: string) =>
      sendRaw(door.bridgeUrl, { method: 'POST', path, headers: signed(scanner, body), body });
    const [here, nowhere] = [await send('/leaks'), await send('/nowhere')];
    expect([here.status, here.text]).toEqual([404, nowhere.text]);
    expect(await mappingOf(door.bridge, token)).toMatchObject({ state: 'unmapped' });
  } finally {
    await door.stop();
  }
});

test('until the old API behind the bridge is retired, in a brownout too, an unknown token may be real and gets no label', async () => {
  const door = await openDoor({
    env: { LEAK_REPORT_KEYS: keysOf(scanner), LEGACY_BACKEND_URL: 'http://127.0.0.1:9' },
  });
  try {
    const { token } = await addWaitingToken(door.bridge, { clientId: door.app.clientId });
    const answer = await reportTo(door, scanner, [{ token: newLegacyToken() }, { token }]);
    expect(answer).toMatchObject({ status: 200, json: [{ token_hash: hashOf(token) }] });
    expect(answer.json).toHaveLength(1);
    const now = door.bridge.context.clock.now();
    await plan(door.bridge, {
      brownouts: [{ rehearses: 'retirement', startsAt: now - MINUTE, endsAt: now + MINUTE }],
    });
    expect(await reportTo(door, scanner, [{ token: newLegacyToken() }])).toMatchObject({ json: [] });
    await plan(door.bridge, { dates: { retirement: now - MINUTE } });
    expect(await reportTo(door, scanner, [{ token: newLegacyToken() }])).toMatchObject({
      json: [{ label: 'false_positive' }],
    });
  } finally {
    await door.stop();
  }
});
