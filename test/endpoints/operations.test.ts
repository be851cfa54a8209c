import { readdirSync, readFileSync } from 'node:fs';
import request from 'supertest';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { until } from '../support/servers/held-answer.ts';

/** What operators and people meet besides the old addresses. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.stop());

const bridge = () => request(system.bridgeUrl);

const FOLDERS = ['sqlite', 'sqlite-volatile', 'postgres'];
const newestIn = (folder: string) =>
  Math.max(...readdirSync(`db/${folder}`).map((name) => Number.parseInt(name, 10)));

test('/health says that the process lives and which build it is, /ready that it can serve, and no more', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const schema = Object.fromEntries(FOLDERS.map((folder) => [folder, newestIn(folder)]));
  const build = {
    version,
    commit: 'unknown',
    schema,
  };
  const { body } = await bridge().get('/health').set('User-Agent', 'GoogleHC/1.0').expect(200);
  expect(body).toEqual({ alive: true, ...build });
  await bridge().get('/ready').expect(200, { ready: true });
});

const ready = () => bridge().get('/ready');

test('/ready says no while the database does not answer, and yes again afterwards', async () => {
  const { durable } = system.bridge.context.store;
  await durable.schema.alterTable('apps').renameTo('apps_away').execute();
  await until(async () => (await ready()).status === 503);
  await ready().expect(503, { ready: false, reason: 'the database does not answer' });
  await durable.schema.alterTable('apps_away').renameTo('apps').execute();
  await until(async () => (await ready()).status === 200);
});

testInProcess('however many ask for /ready at once, the database is asked a few times', async () => {
  const { durable } = system.bridge.context.store;
  const looks = jest.spyOn(durable, 'selectFrom');
  try {
    const answers = await Promise.all(Array.from({ length: 200 }, () => fetch(`${system.bridgeUrl}/ready`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const ofApps = looks.mock.calls.filter(([table]) => table === ('apps' as never));
    expect(ofApps.length).toBeLessThan(50);
  } finally {
    looks.mockRestore();
  }
});

test('the first page says what stands here, without script and under a strict policy', async () => {
  const { headers, text } = await bridge()
    .get('/')
    .expect(200)
    .expect('Content-Type', 'text/html; charset=utf-8');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['x-frame-options']).toBe('DENY');
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-powered-by']).toBeUndefined();
  expect(text).not.toContain('<script');
  await bridge()
    .get('/assets/style.css')
    .expect(200)
    .expect('Content-Type', /text\/css/);
});

test('the link that a refused token carries leads to a page that says how to connect again', async () => {
  const token = (await registerLegacyApp(system.bridge, 'https://linked.example/cb')).ownerToken;
  const refused = await bridge().get(`/1/user.json?access_token=${token}`).expect(401);
  const { reauthorize } = refused.body as { reauthorize: { link: string; reason: string } };
  const { text } = await request(reauthorize.link)
    .get('')
    .expect(200)
    .expect('Content-Type', /text\/html/);
  expect(text).toContain('again');
  expect(text).not.toContain(token);
  await bridge().get('/apps/000000000000000000000000').expect(404);
});

test.each(['/apps/', '/nowhere', '/approve', '/%2e%2e/etc', '/assets/favicon.ico'])(
  '%s is a page that is not there',
  async (path) => {
    const { text } = await bridge()
      .get(path)
      .expect(404)
      .expect('Content-Type', /text\/html/);
    expect(text).toContain('There is no such page');
  },
);
