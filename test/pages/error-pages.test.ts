import { sql } from 'kysely';
import { browserOf, DANA } from '../owners/support/people.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** An error page leads on: it keeps the navigation of whoever is signed in, and there is one whatever is broken. */

let system: System;
let dana: CookieWalker;
let sam: CookieWalker;

beforeAll(async () => {
  system = await startSystem();
  [dana, sam] = [await browserOf(system, DANA), await staffBrowser(system, 'reader')];
});
afterAll(() => system.stop());

/** The entries of the main navigation. */
function entriesOf(body: string): string[] {
  const nav = /<nav aria-label="Main">([\s\S]*?)<\/nav>/.exec(body)?.[1] ?? '';
  return [...nav.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href);
}

async function errorAt(browser: CookieWalker, address: string) {
  const { status, body } = await browser.get(`${system.bridgeUrl}${address}`);
  return { status, body, entries: entriesOf(body), title: /<h1>(.*?)<\/h1>/.exec(body)?.[1] };
}

test.each(['/apps/unknown/secrets', '/apps/connect/unknown', '/apps/a/b/c/d'])(
  'whoever is signed in keeps the navigation at %s, which shows nothing',
  async (address) => {
    const { status, entries, body } = await errorAt(dana, address);
    expect(status).toBe(404);
    expect(entries).toEqual(['/apps', '/apps/progress', '/apps/register']);
    expect(body).toContain('demo@grantbridge.example');
  },
);

test('staff keep theirs below /support, and who is not of the staff is led to the own apps', async () => {
  const own = await errorAt(sam, '/support/mappings/unknown');
  expect(own).toMatchObject({ status: 404, title: 'There is no such token' });
  expect(own.entries).toEqual([
    '/support',
    '/support/accounts',
    '/support/desks',
    '/support/numbers',
    '/apps',
  ]);
  const other = await errorAt(dana, '/support');
  expect(other).toMatchObject({ status: 403, entries: ['/apps', '/apps/progress', '/apps/register'] });
});

/** Where the text of a page leads, its navigation left out. */
const leadsTo = (body: string) =>
  [...wordsPart(body).matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href);

const wordsPart = (body: string) => /<main[^>]*>([\s\S]*)<\/main>/.exec(body)?.[1] ?? '';

/** Error pages outside the own pages of people: of a mistyped address, of the ways to the account page and back, of apps. */
const ELSEWHERE: ReadonlyArray<readonly [address: string, status: number]> = [
  ['/nowhere', 404],
  [`/approve/${'0'.repeat(24)}`, 404],
  ['/callback?code=x&state=y', 403],
  ['/mails/unknown/not-me', 404],
  ['/%zz', 404],
  ['/oauth2/authorize?client_id=unknown', 400],
  ['/1/oauth2/authorize', 400],
];

test.each(ELSEWHERE)('the page for %s leads on whoever opens it', async (address, status) => {
  for (const browser of [new CookieWalker(), dana]) {
    const met = await errorAt(browser, address);
    expect([met.status, leadsTo(met.body)]).toEqual([status, ['/apps', '/']]);
  }
  const ofStaff = await errorAt(sam, address);
  expect([ofStaff.status, leadsTo(ofStaff.body)]).toEqual([status, ['/apps', '/support', '/']]);
});

test('so do the pages of a wrong method and of a form from elsewhere', async () => {
  for (const [method, address, status] of [
    ['POST', '/lifecycle', 405],
    ['DELETE', '/migrate/calls', 405],
    ['POST', '/apps', 403],
  ] as const) {
    const answer = await fetch(system.bridgeUrl + address, {
      method,
      headers: { accept: 'text/html', 'sec-fetch-site': 'cross-site' },
    });
    expect([answer.status, leadsTo(await answer.text())]).toEqual([status, ['/apps', '/']]);
  }
});

test('whoever is not signed in is led on below the own pages too', async () => {
  const below = await errorAt(new CookieWalker(), '/apps/connect/unknown');
  expect(below).toMatchObject({ status: 404, entries: [] });
  expect(leadsTo(below.body)).toEqual(['/apps', '/']);
});

test('a cookie that was made up is nobody’s, and costs no page', async () => {
  const answer = await fetch(`${system.bridgeUrl}/nowhere`, {
    headers: { cookie: 'gb_session=s%3Amade-up.signature', accept: 'text/html' },
  });
  expect([answer.status, leadsTo(await answer.text())]).toEqual([404, ['/apps', '/']]);
  expect(answer.headers.get('set-cookie')).toBeNull();
});

const home = (browser: CookieWalker) => errorAt(browser, '/');

describe('the first page', () => {
  test('leads a visitor to the sign-in', async () => {
    expect(await home(new CookieWalker())).toMatchObject({ status: 200, entries: ['/sign-in'] });
  });

  test('knows who is signed in, and leads staff to Support', async () => {
    const owner = await home(dana);
    expect(owner.entries).toEqual(['/apps', '/apps/progress', '/apps/register']);
    expect(owner.body).toContain('Sign out');
    expect((await home(sam)).entries).toContain('/support');
  });

  test('is shown while nobody can be looked up', () =>
    without('sessions', async () => {
      expect(await home(sam)).toMatchObject({ status: 200, entries: ['/sign-in'] });
    }));
});

test.each([
  ['what nobody serves', '/apps/a/b/c/d', '/apps'],
  ['what support does not know', '/support/mappings/unknown', '/support'],
  ['an action that takes another role', '/support/mappings/any/revoke', '/support/mappings/any'],
  ['an action with no page of its own', '/support/mails/any/settle', '/support'],
])('the text of the page for %s has one link that leads on', async (_what, address, href) => {
  const { body, status } = await errorAt(sam, address);
  expect([404, 403]).toContain(status);
  expect(leadsTo(body)).toEqual([href]);
});

test('who is not of the staff is led to the own apps, and who sent a secret too late to its form', async () => {
  expect(leadsTo((await errorAt(dana, '/support')).body)).toEqual(['/apps']);
  const own = { origin: system.bridgeUrl };
  const address = `${system.bridgeUrl}/apps/paste-token`;
  for (const browser of [dana, new CookieWalker()]) {
    const late = await browser.post(address, { token: `1/${'0'.repeat(32)}` }, own);
    expect(late.status).toBe(403);
    expect(leadsTo(late.body)).toContain('/apps/paste-token');
  }
});

/** While a table is away. */
async function without(table: string, work: () => Promise<void>): Promise<void> {
  const { durable, volatile } = system.bridge.context.store;
  const database = table === 'sessions' ? volatile : durable;
  const rename = (from: string, to: string) =>
    sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(database);
  await rename(table, `${table}_away`);
  try {
    await work();
  } finally {
    await rename(`${table}_away`, table);
  }
}

test.each(['mappings', 'staff', 'sessions'])('there is an error page while %s cannot be read', (table) =>
  without(table, async () => {
    const { status, title, body } = await errorAt(sam, '/apps');
    expect(status).toBeGreaterThanOrEqual(500);
    expect(title).toMatch(/^(Something went wrong|Not available at the moment)$/);
    expect(body).toContain('Request number');
  }),
);
