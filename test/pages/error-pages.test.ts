import { sql } from 'kysely';
import { browserOf, DANA } from '../owners/support/people.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { CookieWalker } from '../support/cookie-walker.ts';
import { startSystem, type System } from '../support/system.ts';

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
  expect(own.entries).toEqual(['/support', '/support/desks', '/support/numbers', '/apps']);
  const other = await errorAt(dana, '/support');
  expect(other).toMatchObject({ status: 403, entries: ['/apps', '/apps/progress', '/apps/register'] });
});

test('whoever is not signed in gets one link to go on by, and elsewhere none', async () => {
  const stranger = new CookieWalker();
  const below = await errorAt(stranger, '/apps/connect/unknown');
  expect(below).toMatchObject({ status: 404, entries: [] });
  expect(below.body).toContain('<a href="/apps">Your apps</a>');
  const elsewhere = await errorAt(stranger, '/nowhere');
  expect(elsewhere).toMatchObject({ status: 404, entries: [] });
  expect(elsewhere.body).not.toContain('href="/apps"');
});

/** Where the text of a page leads, its navigation left out. */
const leadsTo = (body: string) =>
  [...wordsPart(body).matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href);

const wordsPart = (body: string) => /<main[^>]*>([\s\S]*)<\/main>/.exec(body)?.[1] ?? '';

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
