import { parse } from 'csv-parse/sync';
import { browserOf, DANA, SAM, signIn } from '../owners/support/people.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Every address of the pages keeps its place through a sign-in, and a program is told in its own form that it has to. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
  await addStaff(system.bridge.context, {
    account: SAM.accountId,
    role: 'reader',
    actor: 'command',
    requestId: null,
  });
});
afterAll(() => system.stop());

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const FILES = [
  '/support/numbers.csv',
  '/support/numbers.json',
  '/support/numbers.csv?by=day',
  '/support/numbers.json?by=app&days=400',
];

const at = (path: string, accept: string, browser = new CookieWalker()) =>
  browser.get(`${system.bridgeUrl}${path}`, { accept });

/** A link to a day names its time zone, whose slash and plus are escaped. */
const DAYS = [
  '/support/desks/died-today?day=2026-11-21&zone=America%2FArgentina%2FBuenos_Aires',
  '/support/desks/died-today?day=2026-11-21&zone=Etc%2FGMT%2B1',
];

test.each([...FILES, ...DAYS, '/support/apps/an.app-with_a.dot', '/support/numbers'])(
  'a browser that opens %s is led to the sign-in and back to that address',
  async (path) => {
    const browser = new CookieWalker();
    const led = await at(path, BROWSER, browser);
    expect(led.location).toBe(`/sign-in?return_to=${encodeURIComponent(path)}`);
    const back = await signIn(system, browser, { person: SAM, returnTo: path });
    expect(back.location).toBe(path);
  },
);

test('what comes after the sign-in is the file', async () => {
  const browser = new CookieWalker();
  const back = await signIn(system, browser, { person: SAM, returnTo: '/support/numbers.csv?by=day' });
  const file = await at(back.location ?? '', BROWSER, browser);
  expect([file.status, file.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/csv')]);
});

test.each([
  '/apps/..',
  '/apps/../x',
  '/support/.hidden',
  '/apps//x',
  '/apps/a/..',
  '/apps/..%2f',
  '/apps/a\\b',
])('%s is no place to come back to', async (returnTo) => {
  const back = await signIn(system, new CookieWalker(), { returnTo });
  expect(back.location).toBe('/apps');
});

/** How programs ask. */
const PROGRAMS: ReadonlyArray<readonly [path: string, accept: string, type: string]> = [
  ...FILES.flatMap((path) => {
    const type = path.includes('.csv') ? 'text/csv' : 'application/problem+json';
    const named = path.includes('.csv') ? 'text/csv' : 'application/json';
    return ['*/*', named].map((accept) => [path, accept, type] as const);
  }),
  ['/support/numbers', 'application/json', 'application/problem+json'],
  ['/apps', 'application/json', 'application/problem+json'],
  [`/apps/${'0'.repeat(24)}`, 'application/json', 'application/problem+json'],
  ['/support', 'text/csv', 'text/csv'],
];

interface Problem {
  status: unknown;
  title: string;
  detail: string;
}

const problemIn = (body: string, type: string): Problem | undefined =>
  type === 'text/csv'
    ? (parse(body, { columns: true, record_delimiter: '\r\n' }) as Problem[])[0]
    : (JSON.parse(body) as Problem);

test.each(PROGRAMS)(
  'a program without a session at %s that asks for %s gets 401 as %s',
  async (path, accept, type) => {
    const { status, headers, body, location } = await at(path, accept);
    expect([status, location]).toEqual([401, undefined]);
    expect(headers.get('content-type')).toContain(type);
    expect(headers.get('www-authenticate')).toMatch(/^Cookie /);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(problemIn(body, type)).toMatchObject({
      title: 'You are not signed in',
      detail: expect.any(String),
    });
    expect(String(problemIn(body, type)?.status)).toBe('401');
  },
);

test('other refusals are told to a program in its own form too', async () => {
  const dana = await browserOf(system, DANA);
  const sam = await browserOf(system, SAM);
  const forbidden = await at('/support/numbers.json', 'application/json', dana);
  expect([forbidden.status, problemIn(forbidden.body, '')?.title]).toEqual([
    403,
    'This page is for support staff',
  ]);
  const wrong = await at('/support/numbers.csv?days=0', '*/*', sam);
  expect([wrong.status, problemIn(wrong.body, 'text/csv')?.title]).toEqual([400, 'There is no such export']);
  const seen = await at('/support/numbers.csv?days=0', BROWSER, sam);
  expect([seen.status, seen.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  const written = await fetch(`${system.bridgeUrl}/lifecycle.json`, { method: 'POST' });
  expect([written.status, written.headers.get('content-type')]).toEqual([405, 'application/problem+json']);
});
