import { newLegacyCode, newLegacyToken } from '../../../src/shared/ids.ts';
import { exchangeFields, freshCode, read, tokenOf } from '../../support/callers/legacy-calls.ts';
import { rawForm } from '../../support/callers/raw-request.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { type Connected, connectApp, exchangeForm, expectUnspent, postToken } from '../support/connected.ts';
import { CALLBACK, type Door, openDoor } from '../support/door.ts';
import { expectTokenError } from '../support/expectations.ts';
import { expectAlive } from '../support/knock.ts';

/** docs/threats.md T9 to T11, T14 and C53 to C58: the life, the binding and the single use of a code. */

const clock = new SettableClock();

let door: Door;
let connected: Connected;
let code: string;

beforeAll(async () => {
  door = await openDoor({ clock });
  connected = await connectApp(door);
});

beforeEach(async () => {
  code = await connected.mint();
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

const exchange = (changes: Record<string, string | undefined> = {}, app = door.app) =>
  exchangeForm(door, exchangeFields(app, code), changes);

async function expectInvalidGrant(changes: Record<string, string | undefined>): Promise<void> {
  expectTokenError(await exchange(changes), 400, 'invalid_grant');
}

test('row C53 a code is good after 29.9 s', async () => {
  const issued = await freshCode(door);
  clock.advance(29_900);
  expect(await exchange({ code: issued })).toMatchObject({ status: 200 });
});

test.each([30_000, 30_100, 31_000])('row C53 a code is over after %d ms', async (ms) => {
  const issued = await freshCode(door);
  clock.advance(ms);
  await expectInvalidGrant({ code: issued });
});

test('row C53 a clock that is set back one hour gives a code no longer life', async () => {
  const issued = await freshCode(door);
  clock.advance(-3_600_000);
  await expectInvalidGrant({ code: issued });
  clock.advance(3_600_000 + 30_000);
  await expectInvalidGrant({ code: issued });
});

// Two processes have no two stores to disagree: the one conditional UPDATE is raced by 64 calls in one process here.
test('row C54 of 64 exchanges of one code at the same time exactly one gets a token', async () => {
  const answers = await Promise.all(Array.from({ length: 64 }, () => exchange()));
  const [won, lost] = [answers.filter((a) => a.status === 200), answers.filter((a) => a.status !== 200)];
  expect(won).toHaveLength(1);
  expect(lost).toHaveLength(63);
  for (const answer of lost) expectTokenError(answer, 400, 'invalid_grant');
  // docs/threats.md T10: the issued token stays.
  expect(await read(door, '/1/user.json', tokenOf(won[0]!))).toMatchObject({ status: 200 });
});

// docs/threats.md T10, no revocation: a reload of a callback page is the usual cause of a replay.
test('rows T10 and C54 a second use is refused and recorded, and the issued token stays', async () => {
  const token = tokenOf(await exchange());
  await expectInvalidGrant({});
  await expectInvalidGrant({});
  const replays = await door.bridge.context.store.durable
    .selectFrom('events')
    .select('reason')
    .where('action', '=', 'code_replayed')
    .execute();
  expect(replays.slice(-2)).toEqual([{ reason: 'deny' }, { reason: 'deny' }]);
  expect(await read(door, '/1/user.json', token)).toMatchObject({ status: 200 });
});

test('row C55 another app cannot use a code, and does not spend it', async () => {
  const other = await door.addApp();
  expectTokenError(await exchange({}, other), 400, 'invalid_grant');
  await expectUnspent(door, connected, code);
});

test('row T9 unknown, expired, used and foreign codes get one and the same answer', async () => {
  const [used, expired, other] = [await connected.mint(), await connected.mint(), await door.addApp()];
  expect(await exchange({ code: used })).toMatchObject({ status: 200 });
  clock.advance(30_000);
  code = await connected.mint();
  const answers = [
    await exchange({ code: newLegacyCode() }),
    await exchange({ code: expired }),
    await exchange({ code: used }),
    await exchange({}, other),
    await exchange({ redirect_uri: 'https://evil.example/cb' }),
  ];
  for (const answer of answers) {
    expectTokenError(answer, 400, 'invalid_grant');
    expect(answer.text).toBe(answers[0]?.text);
  }
  await expectUnspent(door, connected, code);
});

test.each<[string, string | undefined]>([
  ['missing', undefined],
  ['empty', ''],
  ['in another case', CALLBACK.toUpperCase()],
  ['with a trailing slash', `${CALLBACK}/`],
  ['encoded once more', encodeURIComponent(CALLBACK)],
  ['a longer path', `${CALLBACK}x`],
  ['with a fragment', `${CALLBACK}#x`],
  ['another host', 'https://app.example.com.evil.com/cb'],
])('rows T9 and C56 a redirect_uri that is %s is invalid_grant and spends nothing', async (_case, uri) => {
  await expectInvalidGrant({ redirect_uri: uri });
  await expectUnspent(door, connected, code);
});

test.each(['?code=1/x&state=s', '&x=1'])('Q6 a redirect_uri followed by %s is accepted', async (tail) => {
  expect(await exchange({ redirect_uri: CALLBACK + tail })).toMatchObject({ status: 200 });
});

test('row T9 a redirect_uri that was not sent to authorize may be left out', async () => {
  code = await connected.mint({ redirectUriGiven: false });
  await expectInvalidGrant({ redirect_uri: 'https://evil.example/cb' });
  expect(await exchange({ redirect_uri: undefined })).toMatchObject({ status: 200 });
});

const onTheWire = (slash: string) => {
  const { code: _code, ...rest } = exchangeFields(door.app, code);
  return postToken(door, rawForm(`${new URLSearchParams(rest).toString()}&code=${code.replace('/', slash)}`));
};

test.each(['/', '%2F', '%2f'])('row C57 a slash sent as %s is the slash', async (slash) => {
  expect(await onTheWire(slash)).toMatchObject({ status: 200 });
});

test.each(['%252F', '%255C', '\\', '%5C', '%E2%88%95', ''])(
  'row C57 %s in its place is invalid_grant',
  async (text) => {
    expectTokenError(await onTheWire(text), 400, 'invalid_grant');
    await expectUnspent(door, connected, code);
  },
);

test.each<[string, (code: string) => string]>([
  ['a line break after it', (c) => `${c}\n`],
  ['a space after it', (c) => `${c} `],
  ['a space before it', (c) => ` ${c}`],
  ['a NUL after it', (c) => `${c}\0`],
  ['quotes', (c) => `"${c}"`],
  ['another case', (c) => c.toUpperCase()],
  ['a wildcard', () => '%'],
  ['SQL', () => "' or 1=1--"],
])('row C58 a code with %s is invalid_grant', async (_case, write) => {
  await expectInvalidGrant({ code: write(code) });
  await expectUnspent(door, connected, code);
});

test.each(['code[]', 'code[a]', 'code[$ne]'])('row C58 %s is invalid_request', async (name) => {
  expectTokenError(await exchange({ code: undefined, [name]: code }), 400, 'invalid_request');
  await expectUnspent(door, connected, code);
});

test('row T11 a wrong secret is told before a wrong code, and spends neither', async () => {
  const app = await door.addApp();
  const changes = { client_id: app.clientId, client_secret: 'wrong' };
  expectTokenError(await exchange(changes), 400, 'invalid_client');
  expectTokenError(await exchange({ ...changes, code: '1/x' }), 400, 'invalid_client');
  await expectUnspent(door, connected, code);
});

test('row T14 codes hold 190 bits and tokens 128, and none comes twice', () => {
  const codes = Array.from({ length: 2000 }, newLegacyCode);
  const tokens = Array.from({ length: 2000 }, newLegacyToken);
  expect(codes.every((value) => /^1\/[A-Za-z0-9]{32}$/.test(value))).toBe(true);
  expect(tokens.every((value) => /^1\/[0-9a-f]{32}$/.test(value))).toBe(true);
  expect(new Set([...codes, ...tokens]).size).toBe(4000);
  const letters = codes.map((value) => value.slice(2)).join('');
  const counts = [...new Set(letters)].map((letter) => letters.split(letter).length - 1);
  expect(counts).toHaveLength(62);
  expect(Math.min(...counts)).toBeGreaterThan(700);
  expect(Math.max(...counts)).toBeLessThan(1400);
});
