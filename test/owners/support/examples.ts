import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { transform } from '@swc/core';
import { useOwnClient } from '../../exchange/support/own-client.ts';
import { walkUntil } from '../../support/callers/authorize.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserOf, DANA } from './people.ts';

/** The examples of the page “Move” are run as they stand there, against the whole system. */

const CLIENT_ID = '4e9680c0512f7ed3220000cc';
const OWN = {
  clientId: 'example-client',
  clientSecret: 'example-secret-0123456789',
  name: 'Example',
  ofApp: CLIENT_ID,
};
const TAKING = { clientId: 'taking-client', clientSecret: 'taking-secret-0123456789', name: 'Taking' };

let system: System;
let dana: CookieWalker;
/** Where the person is signed in at the modern side, and approves. */
let browser: CookieWalker;
/** Its callback is one that its own client has too. */
let app: RegisteredApp;

async function start(): Promise<void> {
  system = await startSystem({ ownClients: [OWN, TAKING], env: { LEGACY_RATE_LIMIT: '0' } });
  [dana, browser] = [await browserOf(system), new CookieWalker()];
  const callback = `${system.bridgeUrl}/callback/${CLIENT_ID}`;
  app = await registerLegacyApp(system.bridge, callback, DANA.accountId, CLIENT_ID);
}

type Environment = Record<string, string>;
const run = promisify(execFile);

async function output(file: string, parameters: string[], env: Environment): Promise<string> {
  const { stdout } = await run(file, parameters, { env: { PATH: process.env['PATH'] ?? '', ...env } });
  return stdout.trim();
}

/** How a reader would run an example of each language. */
const RUNNERS = {
  curl: (code: string, env: Environment) => output('bash', ['--norc', '-euc', code], env),
  typescript: async (code: string, env: Environment) => {
    const jsc = { target: 'es2022', parser: { syntax: 'typescript' } } as const;
    const script = await transform(code, { swcrc: false, jsc, module: { type: 'es6' } });
    return output(process.execPath, ['--input-type=module', '-e', script.code], env);
  },
  python: (code: string, env: Environment) => output('python3', ['-c', code], env),
};

type Language = keyof typeof RUNNERS;

const ENTITIES: Environment = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };

/** The examples below a heading of the page of an app, in their order. */
async function examplesOf({ clientId }: RegisteredApp, heading: string): Promise<string[]> {
  const { body } = await dana.get(`${system.bridgeUrl}/apps/${clientId}/move`);
  const section = body.split(`<h3 id="${heading}"`)[1]?.split('</details>')[0] ?? '';
  return [...section.matchAll(/<pre><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, code = '']) =>
    code.replace(/&(#?\w+);/g, (_, name: string) => ENTITIES[name] ?? `&${name};`),
  );
}

/** The steps stand old beside new, so every second one is of one side. */
async function stepsOf(side: 'old' | 'modern', language: string): Promise<string[]> {
  const [ask, askModern, exchange, exchangeModern, read, readModern, refresh] = await examplesOf(
    app,
    language,
  );
  const steps = side === 'old' ? [ask, exchange, read] : [askModern, exchangeModern, readModern, refresh];
  return steps.map((step) => step ?? '');
}

const jsonOf = (text: string) => JSON.parse(text) as Record<string, string>;

/** The person allows it; the code as the callback has it. */
async function codeAt(address: string): Promise<string> {
  const { location } = await walkUntil(address, { browser, person: DANA, until: app.callback });
  return new URL(location).searchParams.get('code') ?? `none in ${location}`;
}

const found = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? '';

const lastLine = (text: string) => text.split('\n').at(-1) ?? '';

async function makeOldCalls(language: Language): Promise<void> {
  const [ask = '', exchange = '', read = ''] = await stepsOf('old', language);
  const code = await codeAt(await RUNNERS[language](ask, {}));
  const secret = { CLIENT_SECRET: app.clientSecret };
  const { access_token: token = '' } = jsonOf(await RUNNERS[language](exchange, { ...secret, CODE: code }));
  expect(token).toMatch(/^1\/[0-9a-f]{32}$/);
  const profiles: unknown = JSON.parse(await RUNNERS[language](read, { ACCESS_TOKEN: token }));
  expect(profiles).toEqual(
    expect.arrayContaining([expect.objectContaining({ service: expect.any(String) })]),
  );
}

async function makeRefusedCalls(language: Language): Promise<void> {
  const [, exchange = '', read = ''] = await stepsOf('old', language);
  const env = { CLIENT_SECRET: app.clientSecret, CODE: '1/nobody', ACCESS_TOKEN: '1/nobody' };
  expect(jsonOf(await RUNNERS[language](exchange, env))).toMatchObject({ error: 'invalid_grant' });
  expect(jsonOf(await RUNNERS[language](read, env))).toMatchObject({ code: 401 });
  const [, , channels = ''] = await stepsOf('modern', language);
  const said = await RUNNERS[language](channels, { ...env, ORGANIZATION_ID: '' }).catch(
    ({ stderr }: { stderr: string }) => stderr,
  );
  expect(said).toMatch(/"(?:message|error)":/);
}

async function makeNewCalls(language: Language): Promise<void> {
  const runIt = RUNNERS[language];
  const [ask = '', exchange = '', channels = '', refresh = ''] = await stepsOf('modern', language);
  const asked = await runIt(ask, {});
  const VERIFIER = found(asked, /(?:^|=)([\w-]{43})/);
  const CODE = await codeAt(lastLine(asked));
  const secret = { MODERN_CLIENT_SECRET: OWN.clientSecret };
  const { access_token: ACCESS_TOKEN = '', refresh_token: REFRESH_TOKEN = '' } = jsonOf(
    await runIt(exchange, { ...secret, CODE, VERIFIER }),
  );
  const env = { ACCESS_TOKEN, ORGANIZATION_ID: '' };
  const ORGANIZATION_ID = found(await runIt(channels, env), /"organizations":\[\{"id":"([^"]+)"/);
  const shown = await runIt(channels, { ...env, ORGANIZATION_ID });
  expect(shown).toMatch(/service"?: ?["'][a-z]+["']/);
  // One list for each organization of the account, which has two; curl asks for one.
  if (language !== 'curl') expect(shown.match(/^\[/gm)).toHaveLength(2);
  const next = jsonOf(await runIt(refresh, { ...secret, REFRESH_TOKEN }));
  expect(next['refresh_token']).toMatch(/./);
  expect(next['refresh_token']).not.toBe(REFRESH_TOKEN);
}

async function handOver(language: Language): Promise<void> {
  const taking = await registerLegacyApp(system.bridge, 'https://taking.example/cb', DANA.accountId);
  await useOwnClient({ bridge: system.bridge, app: taking }, { ...TAKING });
  const token = await issueToken(system, { app: taking, browser });
  const [take = '', confirm = ''] = await examplesOf(taking, `hand-over-${language}`);
  const env = { MODERN_CLIENT_SECRET: TAKING.clientSecret, OLD_TOKEN: token };
  const taken = jsonOf(await RUNNERS[language](take, env));
  expect(taken).toMatchObject({ refresh_token: expect.any(String), migrated_tokens: 2 });
  expect(jsonOf(await RUNNERS[language](confirm, env))).toEqual({ confirmed: true, migrated_tokens: 2 });
  const page = await dana.get(`${system.bridgeUrl}/apps/${taking.clientId}/move`);
  expect(page.body).toContain('1 connection handed over, 1 confirmed by the app.');
}

async function lookForSecrets(): Promise<void> {
  const { body } = await dana.get(`${system.bridgeUrl}/apps/${app.clientId}/move`);
  for (const secret of [app.clientSecret, OWN.clientSecret, app.ownerToken.slice(2)])
    expect(body).not.toContain(secret);
  expect(body).toContain('$CLIENT_SECRET');
}

async function lookForLimits(): Promise<void> {
  const { body } = await dana.get(`${system.bridgeUrl}/apps/${app.clientId}/move`);
  const times = (what: RegExp) => body.match(what)?.length ?? 0;
  const [fetches, openings] = [times(/await fetch\(/g), times(/urlopen\(/g)];
  expect([fetches > 0, openings > 0]).toEqual([true, true]);
  expect(times(/AbortSignal\.timeout\(15_000\)/g)).toBe(fetches);
  expect(times(/timeout=15\)/g)).toBe(openings);
  expect(times(/Refuse a callback with another state\./g)).toBe(Object.keys(RUNNERS).length);
}

/** Runs the examples in these languages. */
export function describeExamples(languages: readonly Language[]): void {
  beforeAll(start);
  afterAll(() => system.stop());

  test.each(languages)('the old calls in %s give a token that reads the profiles', makeOldCalls);

  test.each(languages)('a step in %s that is refused prints the refusal', makeRefusedCalls);

  describe('with the own client entered', () => {
    beforeAll(() => useOwnClient({ bridge: system.bridge, app }, OWN));

    test.each(languages)('the new calls in %s lead to the channels, and refresh', makeNewCalls);
  });

  test.each(languages)('the hand-over in %s takes a connection over and confirms it', handOver);

  test('no secret and no token stands in the examples', lookForSecrets);

  test(
    'no example in TypeScript or Python waits without an end, and each language refuses a foreign callback',
    lookForLimits,
  );
}
