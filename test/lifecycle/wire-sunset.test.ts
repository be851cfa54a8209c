import { rehearsalId } from '../../src/domain/lifecycle/lifecycle.ts';
import { usageOf } from '../../src/domain/usage/usage.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { until } from '../support/servers/held-answer.ts';
import { exchangeFields, issueToken } from '../support/callers/legacy-calls.ts';
import {
  multipart,
  type RawAnswer,
  rawForm,
  type RawRequest,
  sendRaw,
} from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { mappingOf } from '../support/bridge/waiting-token.ts';
import { plan } from './support/lifecycle-rows.ts';

/** From the sunset on, and in a brownout that rehearses it, every old address answers 410 (docs/decisions/0012). */

const clock = new SettableClock();
const START = clock.now();
const SUNSET = START + 10 * MINUTE;
const TEXT = 'The old addresses are switched off';
const browser = new CookieWalker();
let system: System;
let token: string;
/** Of another app. */
let other: { clientId: string; token: string };

beforeAll(async () => {
  system = await startSystem({ clock, env: { LEGACY_RATE_LIMIT: '0' } });
  token = await issueToken(system, { browser });
  const app = await system.registerApp('https://second.example/callback');
  other = { clientId: app.clientId, token: await issueToken(system, { app, browser }) };
});

beforeEach(() => clock.set(START));

afterAll(() => system.stop());

const send = (wanted: RawRequest) => sendRaw(system.bridgeUrl, wanted);

const read = (value: string) => send({ path: '/1/user.json', headers: { authorization: `Bearer ${value}` } });

const statuses = async (...calls: Array<Promise<RawAnswer>>) =>
  (await Promise.all(calls)).map(({ status }) => status);

const link = () => `${system.bridgeUrl}/lifecycle`;

const gone = () => ({ error: expect.stringContaining(link()) as string, code: 410, link: link() });

const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const PATHS = [
  '/1/user.json',
  '/1/user',
  '/1/user.xml',
  '/1/profiles.json',
  '/1/profiles/4eb854340acb04e870000010.json',
  '/1/profiles/4eb854340acb04e870000010/updates/pending.json',
  '/1/user/deauthorize.json',
  '/user/deauthorize',
  '/user/deauthorize.json',
  '/1/oauth2/token.json',
  '/1/oauth2/token',
  '/1/nothing',
  '/1',
  '/1/',
];

const PAGES = ['/oauth2/authorize', '/1/oauth2/authorize'];

/** The whole table of old addresses and methods, all at the same moment. */
async function expectGone(error: unknown): Promise<void> {
  const calls = PATHS.flatMap((path) => METHODS.map((method) => ({ path, method })));
  const others = PAGES.flatMap((path) => METHODS.slice(3).map((method) => ({ path, method })));
  for (const call of [...calls, ...others]) {
    const answer = await send({ ...call, headers: { authorization: `Bearer ${token}` } });
    expect({ ...call, status: answer.status }).toEqual({ ...call, status: 410 });
    expect(answer.headers['content-type']).toBe('application/json;charset=UTF-8');
    expect(answer.headers['retry-after']).toBeUndefined();
    expect(answer.headers.link).toContain(`<${link()}>; rel="sunset"`);
    const described = call.path.startsWith('/1/oauth2/token') ? { error_description: error } : {};
    if (call.method !== 'HEAD') expect(answer.json).toEqual({ error, code: 410, link: link(), ...described });
  }
}

test('a sunset in the past: every old address and method answers 410 in one form', async () => {
  await plan(system.bridge, { dates: { sunset: Date.parse('2024-02-29T10:00:00Z') } });
  await expectGone(`This API ended on 2024-02-29 (UTC). Read how to move to the new API at ${link()}`);
  const { headers } = await send({ path: '/1' });
  expect(headers.sunset).toBe('Thu, 29 Feb 2024 10:00:00 GMT');
});

test('a write that ends there has the form of every refusal of a write', async () => {
  await plan(system.bridge, { dates: { sunset: Date.parse('2024-02-29T10:00:00Z') } });
  for (const path of ['/1/updates/create.json', '/1/updates/4eb854340acb04e870000010/destroy.json']) {
    const answer = await send({ path, method: 'POST', headers: { authorization: `Bearer ${token}` } });
    const { error } = gone();
    const form = { success: false, error, message: error, code: 410, link: link() };
    expect([answer.status, answer.json]).toEqual([410, form]);
  }
});

test('a person who is sent to the old authorize address reads a page', async () => {
  await plan(system.bridge, { dates: { sunset: Date.parse('2024-02-29T10:00:00Z') } });
  for (const path of PAGES) {
    const page = await send({ path: `${path}?client_id=${system.app.clientId}` });
    expect([page.status, page.headers['content-type']]).toEqual([410, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<h1>Apps can no longer be connected here</h1>');
    expect(page.text).toContain(`href="${link()}"`);
    expect(page.headers.link).toContain('rel="sunset"');
    const head = await send({ path, method: 'HEAD' });
    expect([head.status, head.text]).toEqual([410, '']);
  }
});

test('the hand-over goes on: it is how apps leave', async () => {
  await plan(system.bridge, { dates: { sunset: START - 1 } });
  const answer = await send({ path: '/oauth2/exchange', method: 'POST', ...rawForm('') });
  expect([answer.status, answer.json]).toMatchObject([400, { error: 'invalid_request' }]);
});

const all = () => statuses(read(token), send({ path: '/1/user.json' }), send({ path: '/1/no' }));

test('the last millisecond before the sunset is served, the next one is not', async () => {
  await plan(system.bridge, { dates: { sunset: SUNSET } });
  clock.set(SUNSET - 1);
  expect(await all()).toEqual([200, 401, 404]);
  clock.set(SUNSET);
  expect(await all()).toEqual([410, 410, 410]);
});

test('a brownout says that it is one and when it is over, and is over then', async () => {
  const [startsAt, endsAt] = [START + MINUTE, START + 6 * MINUTE];
  await plan(system.bridge, { brownouts: [{ rehearses: 'sunset', startsAt, endsAt, text: TEXT }] });
  clock.set(startsAt - 1);
  expect(await all()).toEqual([200, 401, 404]);
  clock.set(startsAt);
  // A moment for people has no milliseconds where it is a whole second.
  const end = new Date(endsAt).toISOString().replace('.000Z', 'Z');
  await expectGone(`${TEXT}. This is a planned brownout. It is over at ${end}. Read more at ${link()}`);
  const page = await send({ path: '/oauth2/authorize' });
  expect([page.status, page.text]).toEqual([410, expect.stringContaining(TEXT)]);
  clock.set(endsAt - 1);
  expect(await all()).toEqual([410, 410, 410]);
  clock.set(endsAt);
  expect(await all()).toEqual([200, 401, 404]);
});

/** A call of every kind that shows whose it is. */
function callsOf(clientId: string, own: string): Array<Promise<RawAnswer>> {
  const code = { method: 'POST', path: '/1/oauth2/token.json' };
  const fields = { ...exchangeFields(system.app, 'x'), client_id: clientId, client_secret: 'x' };
  const { client_id: _, client_secret: __, ...bare } = fields;
  const basic = { authorization: `Basic ${Buffer.from(`${clientId}:x`).toString('base64')}` };
  return [
    read(own),
    send({ path: `/1/user.json?access_token=${own}` }),
    send({ path: '/1/user.json', method: 'POST', ...rawForm(`access_token=${own}`) }),
    send({ path: '/1/user.json', method: 'POST', ...multipart({ access_token: own }) }),
    send({ path: '/1/nothing.json', headers: { authorization: `Bearer ${own}` } }),
    send({ path: `/oauth2/authorize?client_id=${clientId}` }),
    send({ ...code, ...rawForm(new URLSearchParams(fields).toString()) }),
    send({ ...code, ...rawForm(new URLSearchParams(bare).toString(), basic) }),
  ];
}

const ofBoth = async () => [
  await statuses(...callsOf(system.app.clientId, token)),
  await statuses(...callsOf(other.clientId, other.token)),
];

describe('where apps differ', () => {
  const GOES_ON = [200, 200, 200, 200, 404, 302, 400, 401];
  const STOPS = GOES_ON.map(() => 410);

  test('an app with more time goes on until its own date', async () => {
    const { clientId } = system.app;
    const end = SUNSET + 5 * MINUTE;
    const extensions = [{ clientId, name: 'sunset', until: end } as const];
    await plan(system.bridge, { dates: { sunset: SUNSET }, extensions });
    clock.set(SUNSET - 1);
    expect(await ofBoth()).toEqual([GOES_ON, GOES_ON]);
    clock.set(SUNSET);
    expect(await ofBoth()).toEqual([GOES_ON, STOPS]);
    const late = await read(token);
    expect(late.headers.sunset).toBe(new Date(end).toUTCString());
    expect(await statuses(send({ path: '/1/user.json' }), read(newLegacyToken()))).toEqual([410, 410]);
    clock.set(end - 1);
    expect(await ofBoth()).toEqual([GOES_ON, STOPS]);
    clock.set(end);
    expect(await ofBoth()).toEqual([STOPS, STOPS]);
  });

  test('the answer names the date of the app, as its header does', async () => {
    const ends = [SUNSET + 2 * DAY, SUNSET + 9 * DAY];
    const extensions = [system.app, other].map(
      ({ clientId }, index) => ({ clientId, name: 'sunset', until: ends[index]! }) as const,
    );
    await plan(system.bridge, { dates: { sunset: SUNSET }, extensions });
    clock.set(ends[0]!);
    for (const [value, end] of [
      [token, ends[0]!],
      [newLegacyToken(), SUNSET],
    ] as const) {
      const answer = await read(value);
      expect(answer.json).toEqual({
        ...gone(),
        error: expect.stringContaining(` ended on ${dayOf(end)} (UTC)`),
      });
      expect(answer.headers.sunset).toBe(new Date(end).toUTCString());
    }
  });

  test('a token says whose it is, not what the call names beside it', async () => {
    const { clientId } = system.app;
    const extensions = [{ clientId, name: 'sunset', until: SUNSET + MINUTE } as const];
    await plan(system.bridge, { dates: { sunset: SUNSET }, extensions });
    clock.set(SUNSET);
    const path = `/1/user.json?client_id=${clientId}&access_token=${other.token}`;
    expect((await send({ path })).status).toBe(410);
  });

  test('two tokens show no app; a broken or a long body beside a token is treated as ever', async () => {
    const { clientId } = system.app;
    const extensions = [{ clientId, name: 'sunset', until: SUNSET + MINUTE } as const];
    await plan(system.bridge, { dates: { sunset: SUNSET }, extensions });
    clock.set(SUNSET);
    const path = `/1/user.json?access_token=${token}`;
    const broken = { headers: { 'content-type': 'application/json' }, body: '{' };
    const calls = [
      send({ path, headers: { authorization: `Bearer ${other.token}` } }),
      send({ path, method: 'POST', ...broken }),
      send({ path, method: 'POST', body: Buffer.alloc(300_000) }),
      send({ path, method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1) }),
      send({ path: '/1/oauth2/token', method: 'POST', body: Buffer.alloc(300_000) }),
    ];
    expect(await statuses(...calls)).toEqual([410, 200, 200, 413, 413]);
  });

  test('an exempt app does not meet the brownout of all, until the exemption ends', async () => {
    const { clientId } = system.app;
    const brownouts = [{ rehearses: 'sunset', startsAt: START, endsAt: SUNSET } as const];
    await plan(system.bridge, { brownouts, exemptions: [{ clientId, until: START + MINUTE }] });
    expect(await ofBoth()).toEqual([GOES_ON, STOPS]);
    clock.set(START + MINUTE - 1);
    expect(await ofBoth()).toEqual([GOES_ON, STOPS]);
    clock.set(START + MINUTE);
    expect(await ofBoth()).toEqual([STOPS, STOPS]);
  });

  // Usage lies in the memory of the process that answered until it is written.
  testInProcess('a rehearsal stops the own app alone, and its failing calls are measured', async () => {
    const { clientId } = system.app;
    const window = { startsAt: START, endsAt: START + 5 * MINUTE, text: TEXT };
    const own = { id: 'own', clientId, rehearses: 'sunset', ...window } as const;
    await plan(system.bridge, { brownouts: [own] });
    const { context } = system.bridge;
    // Tokens are looked up in the order of their calls: those that were refused unread before are known by then.
    await new Promise((told) => context.lateTokens.lookUp(token, told));
    await context.usage.flush();
    const mapping = (await mappingOf(system.bridge, token))!;
    const ids = [rehearsalId('own'), mapping.id];
    const callsBefore = (await usageOf(context, ids, { days: 1 })).get(mapping.id)?.calls ?? 0;
    expect(await ofBoth()).toEqual([STOPS, GOES_ON]);
    expect((await send({ path: '/1/user.json' })).status).toBe(401);
    await until(async () => {
      await context.usage.flush();
      return (await usageOf(context, ids, { days: 1 })).get(rehearsalId('own'))?.calls === 8;
    });
    const usage = await usageOf(context, ids, { days: 1 });
    expect(usage.get(rehearsalId('own'))?.carriers.toSorted()).toEqual(['body', 'header', 'query']);
    expect(usage.get(mapping.id)?.calls).toBe(callsBefore + 5);
    const used = context.store.volatile.selectFrom('usage').selectAll();
    const rows = await used.where('mapping_id', '=', rehearsalId('own')).execute();
    const named = rows.map(({ endpoint, carrier }) => `${carrier} ${endpoint}`).toSorted();
    expect(named).toEqual([
      'body /1/oauth2/token.json',
      'body /1/user.json',
      'header /1/nothing.json',
      'header /1/oauth2/token.json',
      'header /1/user.json',
      'query /1/user.json',
      'query /oauth2/authorize',
    ]);
    clock.set(START + 5 * MINUTE);
    expect(await ofBoth()).toEqual([GOES_ON, GOES_ON]);
  });

  test('where they do not, nothing of a call is read', async () => {
    await plan(system.bridge, { dates: { sunset: START - 1 } });
    const long = { path: '/1/user.json', method: 'POST', body: Buffer.alloc(300_000) };
    expect((await send(long)).json).toEqual(gone());
  });
});
