import { approvalAddress } from '../support/authorize-address.ts';
import { newLegacyCode } from '../../../src/shared/ids.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import { exchangeFields } from '../../support/callers/legacy-calls.ts';
import { type RawAnswer, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { TOKEN_PATH } from '../support/connected.ts';
import { type Door, openDoor } from '../support/door.ts';
import { expectPage400, expectTokenError } from '../support/expectations.ts';
import { expectAlive, knock } from '../support/knock.ts';

/** docs/threats.md T12, C59, C60 and C73: guessing at secrets, from one address and from many behind a proxy. */

const clock = new SettableClock();
let door: Door;

beforeAll(async () => {
  clock.run();
  door = await openDoor({ clock, env: { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: 'https://bridge.example' } });
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

interface Guess {
  app: LegacyApp;
  secret: string;
  address: string;
}

const proxied = (address: string) => ({ 'x-forwarded-for': address, 'x-forwarded-proto': 'https' });

/** An exchange of an unknown code: a right secret is told from a wrong one by invalid_grant. */
function guess({ app, secret, address }: Guess): Promise<RawAnswer> {
  const fields = { ...exchangeFields(app, newLegacyCode()), client_secret: secret };
  const content = rawForm(new URLSearchParams(fields).toString(), proxied(address));
  return sendRaw(door.bridgeUrl, { method: 'POST', path: TOKEN_PATH, ...content });
}

/** One after the other; `known` of them are told to every process of the bridge before the others follow. */
async function guesses(count: number, known: number, at: (n: number) => Guess): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  for (let n = 0; n < count; n++) {
    answers.push(await guess(at(n)));
    if (n === known - 1) await door.bridge.untilShared();
  }
  return answers;
}

function expectSlowedDown(answer: RawAnswer): void {
  expectTokenError(answer, 429, 'slow_down');
  const seconds = Number(answer.headers['retry-after']);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
}

const right = (app: LegacyApp, address: string) => guess({ app, secret: app.clientSecret, address });
const wrong = (app: LegacyApp, address: string) => guess({ app, secret: 'wrong', address });

test('rows T12 and C73 after ten wrong secrets an address waits with wrong ones, and nobody else does', async () => {
  const [app, other] = [await door.addApp(), await door.addApp()];
  const answers = await guesses(20, 10, () => ({ app, secret: 'wrong', address: '10.0.0.1' }));
  for (const answer of answers.slice(0, 10)) expectTokenError(answer, 400, 'invalid_client');
  for (const answer of answers.slice(10)) expectSlowedDown(answer);
  expectTokenError(await wrong(app, '10.0.0.2'), 400, 'invalid_client');
  expectTokenError(await wrong(other, '10.0.0.1'), 400, 'invalid_client');
});

test('the right secret does not wait for wrong ones of its address, though it was never seen there', async () => {
  const app = await door.addApp();
  const address = '10.0.4.1';
  await guesses(15, 10, () => ({ app, secret: 'wrong', address }));
  expectSlowedDown(await wrong(app, address));
  expectTokenError(await right(app, address), 400, 'invalid_grant');
  expectSlowedDown(await wrong(app, address));
  expectTokenError(await right(app, address), 400, 'invalid_grant');
});

test('after 3,000 wrong ones in a minute none is looked at', async () => {
  const app = await door.addApp();
  const address = '10.0.4.2';
  const started = clock.now();
  clock.set(started);
  const { counts } = door.bridge.context;
  for (let n = 0; n < 2_999; n++) counts.count(['guesses', app.clientId, address]);
  await counts.sync();
  await door.bridge.untilShared();
  expectTokenError(await right(app, address), 400, 'invalid_grant');
  expectSlowedDown(await wrong(app, address));
  await door.bridge.untilShared();
  expectSlowedDown(await right(app, address));
  clock.set(started + 60_000);
  expectTokenError(await right(app, address), 400, 'invalid_grant');
  clock.run();
});

// A home is given 2^64 addresses of version 6, and some proxies name the port with the address.
test('an address counts as one however it is written, and so does a network of version 6', async () => {
  const app = await door.addApp();
  const ways = ['10.0.9.9', '10.0.9.9:4711', '::ffff:10.0.9.9', '[::FFFF:a00:909]:80', '::ffff:10.0.9.9'];
  await guesses(10, 10, (n) => ({ app, secret: 'wrong', address: ways[n % ways.length]! }));
  expectSlowedDown(await wrong(app, '10.0.9.9:1'));
  const other = await door.addApp();
  await guesses(10, 10, (n) => ({ app: other, secret: 'wrong', address: `2001:db8:0:7:${n}::${n}` }));
  expectSlowedDown(await wrong(other, '[2001:DB8::7:1:2:3:4]:443'));
  expectTokenError(await wrong(other, '2001:db8:0:8::1'), 400, 'invalid_client');
});

test('rows T12 and C73 a wrong secret is told to be wrong again once the wait is over', async () => {
  const app = await door.addApp();
  const started = clock.now();
  await guesses(11, 10, () => ({ app, secret: 'wrong', address: '10.0.0.1' }));
  expectSlowedDown(await wrong(app, '10.0.0.1'));
  clock.set(started + 59_999);
  expectSlowedDown(await wrong(app, '10.0.0.1'));
  clock.advance(1_000);
  expectTokenError(await wrong(app, '10.0.0.1'), 400, 'invalid_client');
  clock.run();
});

test('rows T12 and C73 guesses from 100 addresses are slowed down, and lock neither this app nor another out', async () => {
  const [app, other] = [await door.addApp(), await door.addApp()];
  const answers = await guesses(100, 30, (n) => ({ app, secret: 'wrong', address: `10.1.0.${n}` }));
  for (const answer of answers.slice(0, 30)) expectTokenError(answer, 400, 'invalid_client');
  for (const answer of answers.slice(30)) expectSlowedDown(answer);
  expectTokenError(await right(app, '10.2.0.1'), 400, 'invalid_grant');
  expectTokenError(await right(app, '10.1.0.99'), 400, 'invalid_grant');
  expectTokenError(await right(other, '10.1.0.1'), 400, 'invalid_grant');
});

test('row T12 right secrets are not counted', async () => {
  const app = await door.addApp();
  for (let n = 0; n < 40; n++) expectTokenError(await right(app, '10.0.0.1'), 400, 'invalid_grant');
});

test('row T12 an address is what the named proxy says, not what its client claims', async () => {
  const app = await door.addApp();
  await guesses(10, 10, (n) => ({ app, secret: 'wrong', address: `6.6.6.${n}, 10.0.0.9` }));
  expectSlowedDown(await wrong(app, '10.0.0.9'));
  expectTokenError(await wrong(app, '6.6.6.1'), 400, 'invalid_client');
});

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function timed(work: () => Promise<RawAnswer>): Promise<number> {
  const started = performance.now();
  const { status } = await work();
  expect([400, 429]).toContain(status);
  return performance.now() - started;
}

const isSame = (medians: number[]) =>
  Math.max(...medians) - Math.min(...medians) < 0.5 + 0.5 * Math.min(...medians);

test('row C60 a wrong first byte, a wrong last byte and an unknown client take the same time', async () => {
  const app = await door.addApp();
  const { clientSecret } = app;
  const kinds: Array<Pick<Guess, 'app' | 'secret'>> = [
    { app, secret: `X${clientSecret.slice(1)}` },
    { app, secret: `${clientSecret.slice(0, -1)}X` },
    { app: { ...app, clientId: 'nobody' }, secret: clientSecret },
  ];
  const measure = async (round: number) => {
    const times: number[][] = kinds.map(() => []);
    for (let n = 0; n < 200; n++) {
      const address = `10.${3 + round}.${n >> 8}.${n & 255}`;
      for (const [index, kind] of kinds.entries())
        times[index]?.push(await timed(() => guess({ ...kind, address })));
    }
    return times.map(median);
  };
  // What the machine does beside it is in one round and not in the next; a difference of ours is in all of them.
  const rounds: number[][] = [];
  while (rounds.length < 5 && !rounds.some(isSame)) rounds.push(await measure(rounds.length));
  expect(rounds.filter(isSame)).toHaveLength(1);
});

test('row B45 on an https address the cookie is bound to the host and never sent in the clear', async () => {
  const authorize = `/oauth2/authorize?client_id=${door.app.clientId}&response_type=code`;
  const started = await knock(door, { path: authorize, headers: proxied('10.0.0.1') });
  expect(started.headers.location).toMatch(approvalAddress('https://bridge.example'));
  const { pathname } = new URL(started.headers.location ?? '');
  const answer = await knock(door, { path: pathname, headers: proxied('10.0.0.1') });
  for (const cookie of answer.headers['set-cookie'] ?? [])
    expect(cookie).toMatch(
      /^__Host-gb_browser_[0-9a-f]{24}=[^;]+; Max-Age=1800; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/i,
    );
  expect(answer.headers['set-cookie']).toHaveLength(1);
});

test('row B49 what a proxy says of host and path changes no address, and http through it is refused', async () => {
  const path = `/oauth2/authorize?client_id=${door.app.clientId}&response_type=code`;
  const lies = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-uri': '/evil',
    'x-forwarded-prefix': '/evil',
  };
  const answer = await knock(door, { path, headers: { ...proxied('10.0.0.1'), ...lies } });
  expect(answer.headers.location).toMatch(/^https:\/\/bridge\.example\/approve\//);
  const plain = await knock(door, {
    path,
    headers: { 'x-forwarded-proto': 'http', 'x-forwarded-for': '10.0.0.1' },
  });
  expect(plain).toMatchObject({ status: 403, json: { code: 403 } });
  expectPage400(await knock(door, { path: '/oauth2/authorize', headers: proxied('10.0.0.1') }));
});
