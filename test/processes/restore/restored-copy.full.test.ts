import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { owedPlace } from '../../../src/domain/keys/sealing-context.ts';
import { insertOwed } from '../../../src/store/grants/owed-revocations.ts';
import type { Grant } from '../../../src/store/tables/tables.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import type { BridgeProcess } from '../../support/bridge/bridge-process.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { until } from '../../support/servers/held-answer.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import {
  callWith,
  codeFor,
  copyKeys,
  exchangeAt,
  type Ground,
  grantsAt,
  inPlace,
  makeAllDue,
  newApp,
  type PlaceSettings,
  prepareGround,
  ready,
  tokenFor,
} from './copies.ts';
import { run } from '../commands/operator-command.ts';
import { buildProgram } from '../running-program.ts';

/** A copy beside its production sends nothing until it is taken over (docs/decisions/0010). */

let ground: Ground;
const dropped: Array<() => Promise<void>> = [];

beforeAll(async () => {
  await buildProgram();
});

beforeEach(async () => {
  ground = await prepareGround();
});

afterEach(async () => {
  await ground.close();
  for (const drop of dropped.splice(0)) await drop();
});

/**
 * A grant whose access token lives, one in doubt, one whose process died, and a revocation that the modern side was not
 * told of.
 */
async function leaveWork(settings: PlaceSettings, apps: LegacyApp[]): Promise<void> {
  await inPlace(settings, async ({ store: { durable }, vault }) => {
    const grants = await durable.selectFrom('grants').selectAll().execute();
    const of = (place: number) =>
      grants.find((grant) => grant.client_id === apps[place]?.clientId && grant.state !== 'dead')?.id ?? '';
    const lives = { access_expires_at: Date.now() + 3_600_000, refresh_at: 0 };
    await durable.updateTable('grants').set(lives).where('id', '=', of(0)).execute();
    const presented = { claim_id: 'c1', presented_at: 1, access_expires_at: 0 };
    await durable
      .updateTable('grants')
      .set({ ...presented, state: 'in_doubt', doubt_since: 1 })
      .where('id', '=', of(1))
      .execute();
    await durable
      .updateTable('grants')
      .set({ ...presented, state: 'presenting' })
      .where('id', '=', of(2))
      .execute();
    await durable
      .updateTable('grants')
      .set({ state: 'dead', dead_cause: 'deauthorized', modern_client_id: 'of its own' })
      .where('id', '=', of(3))
      .execute();
    const token_sealed = vault.seal(owedPlace('o1'), 'a refresh token');
    await insertOwed(durable, { id: 'o1', grant_id: of(3), token_sealed, next_at: 0, created_at: 0 });
  });
}

/** Every kind of call that an integration or a person makes. */
async function callAll(bridge: BridgeProcess, tokens: string[], app: LegacyApp): Promise<void> {
  for (const token of tokens)
    for (const path of ['/1/profiles.json', '/1/profiles/1.json', '/1/user.json'])
      expect((await callWith(token, bridge.url, path)).status).toBe(503);
  const query = new URLSearchParams({ client_id: app.clientId, redirect_uri: app.callback });
  const asked = `${bridge.url}/oauth2/authorize?response_type=code&${query.toString()}`;
  const page = await ground.browser.follow(await ground.browser.get(asked), app.callback);
  expect(page).toMatchObject({ status: 503, url: expect.stringContaining('/approve/') as string });
  expect(page.body).toContain('This is a restored copy');
  expect((await ground.browser.post(page.url, { decision: 'allow' })).status).toBe(503);
  expect((await sendRaw(bridge.url, { path: '/callback?state=x&code=y' })).status).toBe(403);
}

test('a staging restore beside a running production says nothing to the modern side, until it is taken over', async () => {
  const production = await ground.place('production');
  const way = await ground.countedWay();
  const staging = await ground.place('staging', { MODERN_AUTH_URL: way.origin, MODERN_API_URL: way.origin });
  const original = await ground.start(production);
  const apps: LegacyApp[] = [];
  while (apps.length < 5) apps.push(await newApp(production));
  const tokens: string[] = [];
  for (const app of apps) tokens.push(await tokenFor(ground, original.url, app));
  const [app] = apps as [LegacyApp];
  const code = await codeFor(ground, original.url, app);
  const file = join(production.VAR_DIR, 'backup.db');
  expect((await run(production, 'backup', file)).code).toBe(0);
  copyKeys(production, staging);
  const restored = await run(staging, 'restore', file);
  expect(restored).toMatchObject({ code: 0, complaints: '' });
  expect(restored.output).toContain('The restored database is a copy: a bridge on the copy sends nothing');
  await makeAllDue(staging);
  await leaveWork(staging, apps);
  const before = await grantsAt(staging);

  const copy = await ground.start(staging);
  expect(copy.complaints()).toContain(
    'ALARM: this is a restored copy, the bridge sends nothing to the new API',
  );
  expect((await ready(copy)).status).toBe(503);
  expect((await ready(copy)).text).toContain('this is a restored copy');
  expect((await sendRaw(copy.url, { path: '/health' })).status).toBe(200);
  expect((await exchangeAt(copy.url, app, code)).status).toBe(200);
  await callAll(copy, [tokens[0], tokens[1], tokens[2]] as string[], app);
  const ended = { path: `/user/deauthorize?access_token=${tokens[4]}`, method: 'POST' };
  expect((await sendRaw(copy.url, ended)).status).toBe(200);
  const doctor = await run(staging, 'doctor');
  expect(doctor).toMatchObject({ code: 1, output: expect.stringContaining('FAILED  instance') as string });
  // Longer than the pause between two runs of the jobs that settle doubts.
  await delay(11_000);
  expect(way.connections).toBe(0);
  const unmoved = (grants: Grant[]) => grants.filter(({ client_id }) => client_id !== apps[4]?.clientId);
  expect(unmoved(await grantsAt(staging))).toEqual(unmoved(before));
  expect((await callWith(tokens[0] ?? '', original.url)).status).toBe(200);
  expect((await ready(original)).status).toBe(200);

  await original.stop();
  expect((await run(staging, 'restore', '--take-over')).code).toBe(0);
  await until(async () => (await ready(copy)).status === 200);
  await until(() => way.connections > 0, 20_000);
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

test('a copy of a PostgreSQL database is silent by its place, beside a production that goes on', async () => {
  const database = await freshDatabase();
  const copied = await freshDatabase();
  for (const one of [database, copied]) dropped.push(() => one.drop());
  const production = await ground.place('production', { DATABASE_URL: database.url });
  const original = await ground.start(production);
  const token = await tokenFor(ground, original.url, await newApp(production));
  await original.stop();
  const server = new URL(database.url);
  server.pathname = '/postgres';
  await execute(server.href, `drop database ${nameOf(copied.url)}`);
  await execute(server.href, `create database ${nameOf(copied.url)} template ${nameOf(database.url)}`);
  await original.start();

  const way = await ground.countedWay();
  const modern = { MODERN_AUTH_URL: way.origin, MODERN_API_URL: way.origin };
  const staging = await ground.place('staging', { ...modern, DATABASE_URL: copied.url });
  copyKeys(production, staging);
  await makeAllDue(staging);
  const copy = await ground.start(staging);
  expect((await ready(copy)).text).toContain('a copy of another one');
  await callWith(token, copy.url);
  await delay(2_000);
  expect(way.connections).toBe(0);
  expect((await callWith(token, original.url)).status).toBe(200);
  for (const [command, ...rest] of [
    ['backup', 'x.db'],
    ['restore', 'x.db'],
  ] as const) {
    const { code, output } = await run(staging, command, ...rest);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('pg_restore') as string });
    expect(output).not.toContain(new URL(copied.url).port);
  }
  await original.stop();
  expect((await run(staging, 'restore', '--take-over')).code).toBe(0);
  await until(async () => (await ready(copy)).status === 200);
  await until(() => way.connections > 0, 20_000);
});
