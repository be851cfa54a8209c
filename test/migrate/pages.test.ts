import { ENVIRONMENT } from '../../src/domain/new-calls/call-pair.ts';
import { ANCHORS } from '../../src/domain/new-calls/call-pairs.ts';
import {
  areLanguagesKnown,
  languageOf,
  PROGRAM_LANGUAGES,
  type ProgramLanguage,
} from '../../src/domain/new-calls/program-language.ts';
import { OLD_CALL_NAMES } from '../../src/domain/old-calls/old-calls.ts';
import { countCallsSince } from '../../src/store/usage/known-calls.ts';
import { browserOf, DANA, SAM, wordsOf } from '../owners/support/people.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { registerLegacyApp, type RegisteredApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { codeAt, setUpOf } from './support/shown-code.ts';

/** The public page of all old calls beside the new ones, and the same for the owner of an app, by what the app calls. */

let system: System;
let dana: CookieWalker;
let app: RegisteredApp;

beforeAll(async () => {
  system = await startSystem({ env: { LEGACY_RATE_LIMIT: '0' } });
  await countCallsSince(system.bridge.context.store, 0);
  dana = await browserOf(system);
  app = await registerLegacyApp(system.bridge, 'https://bakery.example/callback', DANA.accountId);
});
afterAll(() => system.stop());

const publicPage = async (query = '') => (await fetch(`${system.bridgeUrl}/migrate/calls${query}`)).text();

const ownPage = (query = '') => dana.get(`${system.bridgeUrl}/apps/${app.clientId}/new-calls${query}`);

/** The headings of calls, in their order. */
function anchorsIn(html: string): string[] {
  return [...html.matchAll(/<h3 id="([\w-]+)"/g)].map(([, id = '']) => id);
}

/** The language whose examples are open. */
function openIn(html: string): Set<string> {
  return new Set([...html.matchAll(/<details open>\s*<summary>([^<]+)</g)].map(([, label = '']) => label));
}

const fixedOrder = Object.values(ANCHORS);

test('the public page has all nineteen calls at their anchors, in every language, without a sign-in', async () => {
  const html = await publicPage();
  expect(anchorsIn(html)).toEqual(fixedOrder);
  for (const language of PROGRAM_LANGUAGES)
    for (const name of OLD_CALL_NAMES) expect(codeAt(html, ANCHORS[name], language).old).not.toBe('');
  expect(openIn(html)).toEqual(new Set(['curl']));
});

test('every link of the page to itself leads to a call', async () => {
  const html = await publicPage();
  const targets = [...html.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id);
  expect(targets).toEqual(['main', ...fixedOrder]);
});

test.each(PROGRAM_LANGUAGES)('the page opens %s where the address asks for it', async (language) => {
  const names: Record<ProgramLanguage, string> = {
    curl: 'curl',
    php: 'PHP',
    typescript: 'TypeScript',
    python: 'Python',
  };
  expect(openIn(await publicPage(`?language=${language}`))).toEqual(new Set([names[language]]));
  expect(openIn((await ownPage(`?language=${language}`)).body)).toEqual(new Set([names[language]]));
});

test.each(['?language=cobol', '?language=', '?language=php&language=python', '?language[]=php'])(
  'an address that asks for no language of the page is one without it: %s',
  async (query) => {
    expect(openIn(await publicPage(query))).toEqual(new Set(['curl']));
  },
);

test('the examples use the names that the page explains, and no others', async () => {
  const html = await publicPage();
  const explained = [...html.matchAll(/<dt><code>([A-Z_]+)<\/code>/g)].map(([, name]) => name);
  expect(explained).toEqual(Object.keys(ENVIRONMENT));
  for (const language of PROGRAM_LANGUAGES) {
    const codes = OLD_CALL_NAMES.map((name) => codeAt(html, ANCHORS[name], language));
    const text = [setUpOf(html, language), ...codes.flatMap(({ old, steps }) => [old, ...steps])].join('\n');
    expect(new Set(text.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g))).toEqual(new Set(Object.keys(ENVIRONMENT)));
  }
});

test('no example in TypeScript or Python waits without an end', async () => {
  const html = await publicPage();
  const times = (what: RegExp) => html.match(what)?.length ?? 0;
  const [fetches, openings] = [times(/await fetch\(/g), times(/urlopen\(/g)];
  expect([fetches > 0, openings > 0]).toEqual([true, true]);
  expect(times(/AbortSignal\.timeout\(15_000\)/g)).toBe(fetches);
  expect(times(/timeout=15\)/g)).toBe(openings);
});

test('the page can only be read', async () => {
  const answer = await fetch(`${system.bridgeUrl}/migrate/calls`, { method: 'POST' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('where the app calls nothing, its page has the order of all', async () => {
  const page = await ownPage();
  expect(page.status).toBe(200);
  expect(wordsOf(page)).toContain('The app made none of the nineteen old calls in the last 90 days.');
  expect(anchorsIn(page.body)).toEqual(fixedOrder);
});

test('the page of an app is for its owner', async () => {
  const sam = await browserOf(system, SAM);
  expect((await sam.get(`${system.bridgeUrl}/apps/${app.clientId}/new-calls`)).status).toBe(404);
});

test('the calls that the app makes stand first, in the language that makes most of them', async () => {
  const token = await issueToken(system, { app });
  const call = (path: string, agent: string) =>
    sendRaw(system.bridgeUrl, { path, headers: { authorization: `Bearer ${token}`, 'user-agent': agent } });
  const made: Array<[string, string, number]> = [
    ['/1/profiles/5e1f0c9a7b3d4e2f8a6c3d01/updates/pending.json', 'python-requests/2.31', 3],
    ['/1/updates/ffffffffffffffffffffffff.json', 'python-requests/2.31', 2],
    ['/1/user.json', 'GuzzleHttp/7', 4],
  ];
  for (const [path, agent, times] of made) for (let n = 0; n < times; n++) await call(path, agent);
  await system.bridge.context.usage.flush();
  const { body, ...page } = await ownPage();
  const first = ['user', 'profiles-id-updates-pending', 'updates-id'];
  expect(anchorsIn(body)).toEqual([...first, ...fixedOrder.filter((anchor) => !first.includes(anchor))]);
  expect(wordsOf({ ...page, body })).toContain(
    'The app made 3 of the nineteen old calls in the last 90 days.',
  );
  expect(wordsOf({ ...page, body })).toContain('GET /1/profiles/:id/updates/pending.json 3 calls');
  const shown = [...body.matchAll(/\?language=(\w+)"/g)].map(([, language]) => language);
  expect(shown).toEqual(['python', 'php', 'curl', 'typescript']);
  const byUse = /The language of the largest number of calls, .* is shown first\./;
  expect(wordsOf({ ...page, body })).toMatch(byUse);
  expect(wordsOf(await ownPage('?language=cobol'))).toMatch(byUse);
  expect(wordsOf(await ownPage('?language=curl'))).not.toContain('is shown first');
});

test.each([
  [1, 648, false],
  [324, 648, false],
  [325, 648, true],
])('%s calls of a known language among %s say of the others: %s', (calls, total, isKnown) => {
  const kind = { endpoint: '/1/user.json', carrier: 'header', last_at: 1 };
  const kinds = [
    { ...kind, user_agent: 'python-requests/2.31.0', calls },
    { ...kind, user_agent: 'Ruby', calls: total - calls },
  ] as unknown as Parameters<typeof areLanguagesKnown>[0];
  expect(areLanguagesKnown(kinds, total)).toBe(isKnown);
});

test.each<[string, ProgramLanguage | undefined]>([
  ['curl/8.5.0', 'curl'],
  ['GuzzleHttp/6.5.5 curl/7.64.0 PHP/7.4.3', 'php'],
  ['WordPress/6.4.2; https://bakery.example', 'php'],
  ['Symfony HttpClient/Curl', 'php'],
  ['python-requests/2.31.0', 'python'],
  ['Python-urllib/3.11', 'python'],
  ['Python/3.11 aiohttp/3.9', 'python'],
  ['PycURL/7.45 libcurl/8', 'python'],
  ['node', 'typescript'],
  ['node-fetch/1.0 (+https://github.com/bitinn/node-fetch)', 'typescript'],
  ['axios/1.6.0', 'typescript'],
  ['undici', 'typescript'],
  ['got (https://github.com/sindresorhus/got)', 'typescript'],
  ['buffer-node', 'typescript'],
  ['Deno/1.40', 'typescript'],
  ['Go-http-client/1.1', undefined],
  ['Ruby', undefined],
  ['Mozilla/5.0 (X11; Linux x86_64)', undefined],
  ['none', undefined],
  ['other', undefined],
])('the language of %s is %s', (agent, language) => {
  expect(languageOf(agent)).toBe(language);
});
