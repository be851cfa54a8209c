import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openRefreshToken } from '../../../src/domain/grants/sealed-pair.ts';
import { until } from '../../support/servers/held-answer.ts';
import {
  callWith,
  copyKeys,
  type Ground,
  grantsAt,
  inPlace,
  makeAllDue,
  makeDue,
  newApp,
  prepareGround,
  ready,
  tokenFor,
} from './copies.ts';
import { run, runJson } from '../commands/operator-command.ts';
import { buildProgram } from '../running-program.ts';

/** What the take-over of an older state keeps, and what it asks for again (docs/decisions/0010). */

let ground: Ground;

beforeAll(async () => {
  await buildProgram();
});

beforeEach(async () => {
  ground = await prepareGround();
});

afterEach(() => ground.close());

test('twenty grants, eight of them refreshed after the backup: the twelve serve on, the eight are asked for again', async () => {
  const production = await ground.place('production', { IN_DOUBT_QUIET_SECONDS: '2' });
  const rescue = await ground.place('rescue', { IN_DOUBT_QUIET_SECONDS: '2' });
  const original = await ground.start(production);
  const tokens: string[] = [];
  const clientIds: string[] = [];
  while (tokens.length < 20) {
    const app = await newApp(production);
    clientIds.push(app.clientId);
    tokens.push(await tokenFor(ground, original.url, app));
  }
  const file = join(production.VAR_DIR, 'backup.db');
  expect((await run(production, 'backup', file)).code).toBe(0);
  await makeDue(production, clientIds.slice(0, 8));
  for (const token of tokens.slice(0, 8)) expect((await callWith(token, original.url)).status).toBe(200);
  await original.stop();
  expect(ground.proxy.refreshes()).toHaveLength(8);

  copyKeys(production, rescue);
  await run(rescue, 'restore', file);
  await makeAllDue(rescue);
  const taken = await runJson(rescue, 'restore', '--take-over');
  const epoch = expect.any(Number) as number;
  expect(taken).toEqual({ code: 0, json: { state: 'original', grants: 20, epoch, changed: true } });
  const again = await run(rescue, 'restore', '--take-over');
  expect(again).toMatchObject({
    code: 0,
    output: expect.stringContaining('is the original already') as string,
  });
  const doubted = await grantsAt(rescue);
  expect(
    doubted.filter(({ state, restored_at }) => state === 'in_doubt' && restored_at !== null),
  ).toHaveLength(20);

  expect(await run(rescue, 'history', 'verify')).toMatchObject({ code: 0 });

  const successor = await ground.start(rescue);
  const settled = new Map<string, number>();
  await until(async () => {
    for (const token of tokens.filter((each) => !settled.has(each))) {
      const { status, json } = await callWith(token, successor.url);
      if (status === 401)
        expect(json).toMatchObject({ reauthorize: { reason: expect.any(String) as string } });
      if (status !== 503) settled.set(token, status);
    }
    return settled.size === tokens.length;
  });
  expect(tokens.map((token) => settled.get(token))).toEqual(tokens.map((_, n) => (n < 8 ? 401 : 200)));
  ground.proxy.assertNoRefreshTokenTwice();
  expect(ground.proxy.refreshes()).toHaveLength(20);
  const grants = await grantsAt(rescue);
  expect(grants.filter(({ state, version }) => state === 'ready' && version === 2)).toHaveLength(12);
  expect(grants.filter(({ dead_cause }) => dead_cause === 'superseded')).toHaveLength(8);
  expect(grants.every(({ state, restored_at }) => (state === 'ready') === (restored_at === null))).toBe(true);
  // What the original got for the eight was not ended by the rescue.
  const theirs = await inPlace(production, async (context) => {
    const spent = await context.store.durable
      .selectFrom('grants')
      .selectAll()
      .where('version', '=', 2)
      .execute();
    return Promise.all(spent.map((grant) => context.server.isLive(openRefreshToken(context, grant))));
  });
  expect(theirs).toEqual(Array.from({ length: 8 }, () => true));
  const reasons = await inPlace(rescue, ({ store }) =>
    store.durable
      .selectFrom('mappings')
      .select('reason')
      .where('state', '=', 'reauthorization_required')
      .execute(),
  );
  expect(reasons).toEqual(Array.from({ length: 8 }, () => ({ reason: 'grant_superseded' })));
});

test('an older file put back by hand is silent by the epoch, and presents nothing that was spent', async () => {
  const production = await ground.place('production');
  const original = await ground.start(production);
  const token = await tokenFor(ground, original.url, await newApp(production));
  await original.stop();
  const [file, kept] = ['bridge.db', 'kept.db'].map((name) => join(production.VAR_DIR, name)) as [
    string,
    string,
  ];
  cpSync(file, kept);
  await makeAllDue(production);
  await original.start();
  expect((await callWith(token, original.url)).status).toBe(200);
  // A moment later the epoch has risen, as it has after a clean stop.
  await original.stop();
  expect(ground.proxy.refreshes()).toHaveLength(1);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  cpSync(kept, file);
  await makeAllDue(production);
  const readings = ground.proxy.readings().length;
  await original.start();
  expect((await ready(original)).text).toContain('older than the state that this machine saw');
  await callWith(token, original.url);
  await delay(2_000);
  expect(ground.proxy.refreshes()).toHaveLength(1);
  expect(ground.proxy.readings()).toHaveLength(readings);
  expect((await run(production, 'restore', '--take-over')).code).toBe(0);
  await until(async () => (await callWith(token, original.url)).status === 401, 20_000);
  ground.proxy.assertNoRefreshTokenTwice();
  // The older file has lost entries that were anchored; the take-over accounts for that.
  expect(await run(production, 'history', 'verify')).toMatchObject({ code: 0 });
});
