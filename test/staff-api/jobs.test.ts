import { sql } from 'kysely';
import { runBulkJobs } from '../../src/domain/bulk/run-bulk-jobs.ts';
import { extendApp } from '../../src/domain/lifecycle/changes/extend-app.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { until as eventually } from '../support/servers/held-answer.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, openGround, someApp, waitingIn } from './support/ground.ts';

/** Actions on many things at once: done in the background, stopped, taken back. */

interface JobJson {
  job_id: string;
  state: string;
  items: Record<string, number>;
}

const reason = 'ticket 4711';
const UNTIL = Date.now() + 90 * DAY;
const until = new Date(UNTIL).toISOString();

/** Six hundred transactions, one after the other where two runs get in the way of each other, on a slow machine too. */
const IN_TIME = 600_000;

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let program: Program;
  let actor: string;

  beforeAll(async () => {
    ground = await openGround(kind);
    const { key, id } = await keyFor(ground, 'lead');
    [program, actor] = [programOf(ground, key), `key:${id}`];
  });
  afterAll(() => ground.stop());

  const run = () => runBulkJobs(ground.bridge.context);
  const rows = () => ground.bridge.context.store.durable;
  const begin = async (path: string, body: object) => (await program.post(path, body)).json as JobJson;
  const now = async ({ job_id: id }: JobJson) => (await program.get(`/jobs/${id}`)).json as JobJson;
  const itemsOf = async ({ job_id: id }: JobJson) =>
    ((await program.get(`/jobs/${id}/items`)).json as { items: Array<Record<string, string | null>> }).items;
  const act = async ({ job_id: id }: JobJson, action: string) => program.post(`/jobs/${id}/${action}`);
  const apps = async (count: number) => Promise.all(Array.from({ length: count }, () => someApp(ground)));
  const extend = (client_ids: string[]) =>
    begin('/jobs/extend-apps', { client_ids, date: 'retirement', until, reason });
  const extensionOf = (clientId: string) =>
    ground.bridge.context.lifecycle.current().extensions.get(clientId)?.retirement;
  const entriesOf = async (clientId: string, action: string) =>
    (
      await rows()
        .selectFrom('events')
        .select(['action', 'actor'])
        .where('client_id', '=', clientId)
        .execute()
    ).filter((entry) => entry.action === action);

  const appOf = async (id: string) =>
    (await rows().selectFrom('mappings').select('client_id').where('id', '=', id).executeTakeFirstOrThrow())
      .client_id;

  test(
    'many apps get more time, each once, and what was not changed since is taken back',
    async () => {
      const ids = await apps(300);
      const [own = '', changed = ''] = ids;
      const before = UNTIL - 10 * DAY;
      const by = { reason, actor: 'test', requestId: null, name: 'retirement' as const };
      await extendApp(ground.bridge.context, { clientId: own, until: before, ...by });
      const job = await extend([...ids, own, newHexId()]);
      expect(job).toMatchObject({ state: 'running', items: { waiting: 301, done: 0 } });
      await Promise.all([run(), run()]);
      await run();
      expect(await now(job)).toMatchObject({ state: 'done', items: { waiting: 0, done: 300, refused: 1 } });
      expect(ids.map(extensionOf)).toEqual(ids.map(() => UNTIL));
      expect(await entriesOf(ids[5] ?? '', 'app_extended')).toEqual([{ action: 'app_extended', actor }]);
      expect((await itemsOf(job)).at(-1)).toMatchObject({
        state: 'refused',
        why: expect.stringContaining('No app'),
      });
      await extendApp(ground.bridge.context, { clientId: changed, until: UNTIL + DAY, ...by });
      expect(await act(job, 'take-back')).toMatchObject({ json: { state: 'taking_back' } });
      expect(await act(job, 'stop')).toMatchObject({ json: { state: 'stopped' } });
      await run();
      expect(extensionOf(ids[5] ?? '')).toBe(UNTIL);
      expect(await act(job, 'take-back')).toMatchObject({ json: { state: 'taking_back' } });
      await run();
      const undone = rows()
        .selectFrom('events')
        .select('reason')
        .where('client_id', '=', ids[5] ?? '');
      expect(await undone.where('action', '=', 'extension_taken_back').execute()).toEqual([
        { reason: expect.stringMatching(/^entry \d+: job \S+ was taken back$/) },
      ]);
      expect(await now(job)).toMatchObject({
        state: 'taken_back',
        items: { undone: 299, kept: 1, refused: 1 },
      });
      expect([own, changed, ids[5] ?? ''].map(extensionOf)).toEqual([before, UNTIL + DAY, undefined]);
      expect(problemIn(await act(job, 'take-back'))).toBe('409 not-possible');
    },
    IN_TIME,
  );

  test('a job that is stopped does nothing more', async () => {
    const ids = await apps(80);
    const job = await extend(ids);
    const running = run();
    await eventually(async () => ((await now(job)).items['done'] ?? 0) > 0, 60_000);
    expect(await act(job, 'stop')).toMatchObject({ status: 200 });
    await running;
    const stopped = await now(job);
    await run();
    const { items, state } = await now(job);
    expect([state, items]).toEqual(['stopped', stopped.items]);
    expect(items['waiting']).toBeGreaterThan(0);
    expect(ids.filter((id) => extensionOf(id) !== undefined)).toHaveLength(items['done'] ?? 0);
    expect(problemIn(await act(job, 'stop'))).toBe('409 not-possible');
  });

  test('tokens are assigned and given back to the programs that they came from', async () => {
    const tokens = await Promise.all([1, 2, 3].map(() => waitingIn(ground, 'observed')));
    const ids = tokens.map(({ mappingId }) => mappingId);
    const before = await Promise.all(ids.map(appOf));
    const clientId = ground.app.clientId;
    const job = await begin('/jobs/assign-tokens', {
      token_ids: [...ids, newHexId()],
      client_id: clientId,
      reason,
    });
    await run();
    expect(await Promise.all(ids.map(appOf))).toEqual(ids.map(() => clientId));
    const other = await someApp(ground);
    expect(await program.post(`/tokens/${ids[0]}/assign`, { client_id: other, reason })).toMatchObject({
      status: 200,
    });
    await act(job, 'take-back');
    await run();
    expect(await Promise.all(ids.map(appOf))).toEqual([other, before[1], before[2]]);
    expect(await now(job)).toMatchObject({ state: 'taken_back', items: { undone: 2, kept: 1, refused: 1 } });
  });

  test('each account gets its link, and links are not taken back', async () => {
    const accounts = (await Promise.all([1, 2].map(() => waitingIn(ground)))).map(
      ({ accountId }) => accountId,
    );
    const body = { account_ids: [...accounts, newHexId()], client_id: ground.app.clientId, reason };
    const job = await begin('/jobs/make-links', body);
    await run();
    const items = await itemsOf(job);
    expect(items.map(({ state }) => state)).toEqual(['done', 'done', 'refused']);
    expect(items[0]?.['link']).toMatch(/\/apps\/connect\/[0-9a-f]{24}$/);
    expect(problemIn(await act(job, 'take-back'))).toBe('409 not-possible');
  });

  /** An extension of one app fails with a code of the database. */
  const failFor = async (clientId: string, code: string) => {
    const when = `when (new.client_id = '${clientId}')`;
    const statements =
      kind === 'sqlite'
        ? [
            `create trigger fails before insert on extensions ${when} begin select raise(abort, 'broken'); end`,
          ]
        : [
            `create or replace function fails() returns trigger language plpgsql as $$ begin raise exception using errcode = '${code}', message = 'broken'; end $$`,
            `create trigger fails before insert on extensions for each row ${when} execute function fails()`,
          ];
    for (const statement of statements) await sql.raw(statement).execute(rows());
  };
  const failNoMore = () =>
    sql.raw(`drop trigger fails${kind === 'postgres' ? ' on extensions' : ''}`).execute(rows());

  test('an item that fails in between is told at once, and the others are done', async () => {
    const [one = '', two = ''] = await apps(2);
    const job = await extend([one, two]);
    await failFor(one, '53100');
    await run();
    await failNoMore();
    expect(await now(job)).toMatchObject({ state: 'done', items: { unknown: 1, done: 1, running: 0 } });
    expect((await itemsOf(job))[0]).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining('nobody knows whether it was done'),
    });
    await run();
    expect([extensionOf(one), extensionOf(two)]).toEqual([undefined, UNTIL]);
  });

  // SQLite writes one after the other, so no transaction is undone for another one.
  (kind === 'postgres' ? test : test.skip)(
    'an item that another transaction got in the way of waits again',
    async () => {
      const [one = '', two = ''] = await apps(2);
      const job = await extend([one, two]);
      await failFor(one, '40001');
      await run();
      await failNoMore();
      expect(await now(job)).toMatchObject({ state: 'running', items: { waiting: 1, done: 1, running: 0 } });
      await run();
      expect(await now(job)).toMatchObject({ state: 'done', items: { done: 2 } });
      expect(extensionOf(one)).toBe(UNTIL);
    },
  );

  test('an item whose process ended is not done a second time', async () => {
    const [one = '', two = ''] = await apps(2);
    const job = await extend([one, two]);
    const dead = { state: 'running' as const, claimed_at: Date.now() - DAY };
    await rows().updateTable('bulk_items').set(dead).where('subject', '=', one).execute();
    await run();
    expect(await now(job)).toMatchObject({ state: 'done', items: { unknown: 1, done: 1 } });
    expect([extensionOf(one), extensionOf(two)]).toEqual([undefined, UNTIL]);
  });

  test('one job takes five thousand things, and not one more', async () => {
    const ids = Array.from({ length: 5001 }, newHexId);
    const body = { client_id: ground.app.clientId, reason };
    const job = await begin('/jobs/assign-tokens', { ...body, token_ids: ids.slice(1) });
    expect(job.items['waiting']).toBe(5000);
    await act(job, 'stop');
    const many = await program.post('/jobs/assign-tokens', { ...body, token_ids: ids });
    expect(problemIn(many)).toBe('422 invalid-request');
  });

  test('who may not do an action may not stop it', async () => {
    const job = await extend(await apps(1));
    const agent = programOf(ground, (await keyFor(ground, 'agent')).key);
    expect(problemIn(await agent.post(`/jobs/${job.job_id}/stop`))).toBe('403 role-too-low');
    expect(await act(job, 'stop')).toMatchObject({ status: 200 });
  });
});
