import { PassThrough } from 'node:stream';
import { wordsOf } from '../../owners/support/people.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { openLine } from '../../support/servers/severable-line.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { until } from '../../support/servers/held-answer.ts';
import { companySettings, type CompanySystem, signInStaff } from './support/company-system.ts';
import { startIdentityProvider } from './support/identity-provider.ts';

/** The identity provider is away, or says of itself what must not be believed. */

const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function loggingStream() {
  const lines: string[] = [];
  const stream = new PassThrough();
  stream.on('data', (text: Buffer) => lines.push(text.toString()));
  return { stream, text: () => lines.join('') };
}

async function startAlone(issuer: string, log = loggingStream()): Promise<System> {
  const system = await startSystem({
    env: companySettings(issuer),
    log: { level: 'debug', stream: log.stream },
  });
  closing.push(() => system.stop());
  return system;
}

const groundOf = (system: System, company: CompanySystem['company']): CompanySystem => ({
  system,
  company,
  at: (path) => `${system.bridgeUrl}${path}`,
  stop: () => Promise.resolve(),
});

const askedAt = (system: System) => new CookieWalker().get(`${system.bridgeUrl}/sign-in/company`);

test('a provider that is away at the start stops nothing, and sign-ins work soon after it comes', async () => {
  const port = await freePort();
  const system = await startAlone(`http://127.0.0.1:${port}`);
  const page = await askedAt(system);
  expect(page.status).toBe(503);
  expect(wordsOf(page)).toContain('does not answer');
  expect((await fetch(`${system.bridgeUrl}/ready`)).status).toBe(200);
  const company = await startIdentityProvider({
    redirectUri: `${system.bridgeUrl}/sign-in/company/return`,
    port,
  });
  closing.push(() => company.close());
  await until(async () => (await askedAt(system)).status === 302, 30_000);
  expect((await signInStaff(groundOf(system, company), new CookieWalker())).status).toBe(303);
});

test('a provider that is silent holds a person no longer than its limit, and others not at all', async () => {
  const target = await freePort();
  const line = await openLine(await freePort(), target);
  closing.push(() => line.close());
  line.swallow();
  const system = await startAlone(line.origin);
  const from = Date.now();
  const pages = await Promise.all([askedAt(system), askedAt(system)]);
  expect(pages.map(({ status }) => status)).toEqual([503, 503]);
  expect(Date.now() - from).toBeLessThan(25_000);
  expect((await askedAt(system)).status).toBe(503);
  expect(Date.now() - from).toBeLessThan(25_000);
});

test('a provider that names another issuer is not believed', async () => {
  const port = await freePort();
  const system = await startAlone(`http://127.0.0.1:${port}`);
  const company = await startIdentityProvider({ redirectUri: `${system.bridgeUrl}/x`, port });
  closing.push(() => company.close());
  company.changeMetadata = (metadata) => ({ ...metadata, issuer: 'http://127.0.0.1:1' });
  const page = await askedAt(system);
  expect(page.status).toBe(403);
  expect(page.location).toBeUndefined();
});

test('a failed sign-in leaves a line in the log, without code, verifier, token, claim or secret', async () => {
  const port = await freePort();
  const log = loggingStream();
  const system = await startAlone(`http://127.0.0.1:${port}`, log);
  const company = await startIdentityProvider({
    redirectUri: `${system.bridgeUrl}/sign-in/company/return`,
    port,
  });
  closing.push(() => company.close());
  const seen: string[] = [];
  company.changeAnswer = (answer) => {
    seen.push(String(answer['id_token']), String(answer['access_token']));
    return { ...answer, id_token: `${String(answer['id_token']).slice(0, -9)}AAAAAAAAA` };
  };
  expect((await signInStaff(groundOf(system, company), new CookieWalker())).status).toBe(403);
  await until(async () => log.text().includes('a company sign-in could not be finished'));
  const sent = company.calls.map(({ body }) => JSON.parse(body) as Record<string, string>)[0] ?? {};
  const secrets = [
    ...seen,
    sent['code'],
    sent['code_verifier'],
    'lena@corp.example',
    'a-secret-of-the-company',
  ];
  for (const secret of secrets) {
    expect(secret).toMatch(/./);
    expect(log.text()).not.toContain(secret);
  }
});
