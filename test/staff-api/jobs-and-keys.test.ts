import { addStaff, removeStaff } from '../../src/domain/accounts/staff.ts';
import { endApiKey } from '../../src/domain/api-keys/api-key-list.ts';
import { runBulkJobs } from '../../src/domain/bulk/run-bulk-jobs.ts';
import { purgeExpired } from '../../src/domain/purge-expired.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { until as eventually } from '../support/servers/held-answer.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, openGround, someApp } from './support/ground.ts';

/** In whose name a job does its items, and when it does no more of them. */

interface JobJson {
  job_id: string;
  state: string;
  stopped_why: string | null;
  items: Record<string, number>;
}

const reason = 'ticket 4711';
const BY = { actor: 'command:test', requestId: null };
const until = new Date(Date.now() + 90 * DAY).toISOString();

const extend = async (program: Program, client_ids: string[]) =>
  (await program.post('/jobs/extend-apps', { client_ids, date: 'retirement', until, reason }))
    .json as JobJson;
const now = async (program: Program, { job_id: id }: JobJson) =>
  (await program.get(`/jobs/${id}`)).json as JobJson;
const act = async (program: Program, { job_id: id }: JobJson, action: string) =>
  program.post(`/jobs/${id}/${action}`);

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;

  beforeAll(async () => {
    ground = await openGround(kind);
  });
  afterAll(() => ground.stop());

  const run = () => runBulkJobs(ground.bridge.context);
  const rows = () => ground.bridge.context.store.durable;

  async function lead(accountId?: string): Promise<Program & { id: string }> {
    const { key, id } = await keyFor(ground, 'lead', accountId === undefined ? {} : { accountId });
    return { ...programOf(ground, key), id };
  }
  const apps = async (count: number) => Promise.all(Array.from({ length: count }, () => someApp(ground)));
  const extensionOf = (clientId: string) =>
    ground.bridge.context.lifecycle.current().extensions.get(clientId)?.retirement;
  const jobEntries = async ({ job_id: id }: JobJson) => {
    const entries = await rows()
      .selectFrom('events')
      .select(['action', 'actor'])
      .where('reason', 'like', `${id}%`)
      .orderBy('id')
      .execute();
    return entries.map(({ action, actor }) => (actor === 'bridge' ? `${action} by bridge` : action));
  };
  const entriesOf = async (clientId: string) =>
    rows()
      .selectFrom('events')
      .select(['action', 'actor', 'request_id'])
      .where('client_id', '=', clientId)
      .orderBy('id')
      .execute();

  test('what is taken back is the deed of who took it back', async () => {
    const [asker, other] = await Promise.all([lead(), lead()]);
    const [app = ''] = await apps(1);
    const job = await extend(asker, [app]);
    await run();
    const back = await act(other, job, 'take-back');
    await run();
    expect(await now(asker, job)).toMatchObject({ state: 'taken_back', items: { undone: 1 } });
    const entries = await entriesOf(app);
    expect(entries.map(({ actor }) => actor)).toEqual([`key:${asker.id}`, `key:${other.id}`]);
    expect(entries[1]?.request_id).toBe(back.headers['x-request-id']);
  });

  test('a stopped job whose process ended at an item can be taken back once the item is given up', async () => {
    const program = await lead();
    const [dead = '', later = ''] = await apps(2);
    const held = await extend(program, [dead, later]);
    const inHand = (claimed_at: number) =>
      rows()
        .updateTable('bulk_items')
        .set({ state: 'running', claimed_at })
        .where('subject', '=', dead)
        .execute();
    await inHand(Date.now());
    await act(program, held, 'stop');
    await run();
    expect(problemIn(await act(program, held, 'take-back'))).toBe('409 not-possible');
    await inHand(Date.now() - DAY);
    await run();
    expect(await now(program, held)).toMatchObject({ state: 'stopped', items: { unknown: 1, waiting: 1 } });
    expect(await act(program, held, 'take-back')).toMatchObject({ status: 200 });
    await run();
    expect(await now(program, held)).toMatchObject({ state: 'taken_back', items: { unknown: 1 } });
  });

  test('a job ends with the key that asked for it, in the middle of its items', async () => {
    const [asker, other] = await Promise.all([lead(), lead()]);
    const ids = await apps(80);
    const job = await extend(asker, ids);
    const running = run();
    await eventually(async () => ((await now(other, job)).items['done'] ?? 0) > 0);
    await endApiKey(ground.bridge.context, { id: asker.id, ...BY });
    await running;
    const { items, ...ended } = await now(other, job);
    expect(ended).toMatchObject({ state: 'stopped', stopped_why: expect.stringContaining('has ended') });
    expect(items['waiting']).toBeGreaterThan(0);
    expect(ids.filter((id) => extensionOf(id) !== undefined)).toHaveLength(items['done'] ?? 0);
    expect(await jobEntries(job)).toEqual(['bulk_asked', 'bulk_stopped by bridge']);
    expect(await act(other, job, 'take-back')).toMatchObject({ json: { stopped_why: null } });
    await run();
    expect(await now(other, job)).toMatchObject({ state: 'taken_back', items: { undone: items['done'] } });
  });

  test('a job ends with the role of who made its key, and so does its taking back', async () => {
    const accountId = newHexId();
    const account = { account: accountId, ...BY };
    await rows().insertInto('accounts').values({ account_id: accountId, updated_at: 1 }).execute();
    await addStaff(ground.bridge.context, { ...account, role: 'lead' });
    const [theirs, other] = await Promise.all([lead(accountId), lead()]);
    const ids = await apps(3);
    const [job, foreign] = [await extend(theirs, ids.slice(0, 1)), await extend(other, ids.slice(1, 2))];
    await run();
    await act(theirs, foreign, 'take-back');
    const later = await extend(theirs, ids.slice(2));
    await addStaff(ground.bridge.context, { ...account, role: 'agent' });
    await run();
    expect(await now(other, job)).toMatchObject({ state: 'done', stopped_why: null });
    for (const one of [foreign, later]) {
      const stopped_why = expect.stringContaining('“agent”') as string;
      expect(await now(other, one)).toMatchObject({ state: 'stopped', stopped_why });
    }
    expect(ids.map((id) => extensionOf(id) !== undefined)).toEqual([true, true, false]);
    await removeStaff(ground.bridge.context, account);
    const last = await act(other, foreign, 'take-back');
    expect(last).toMatchObject({ status: 200 });
    await run();
    expect(await now(other, foreign)).toMatchObject({ state: 'taken_back', items: { undone: 1 } });
  });

  test('thirty days after its end a job can no more be taken back, and is forgotten', async () => {
    const program = await lead();
    const [first = '', second = '', third = ''] = await apps(3);
    const [old, young] = [await extend(program, [first]), await extend(program, [second])];
    await run();
    const open = await extend(program, [third]);
    const times = [
      { ended_at: Date.now() - 30 * DAY - 1000, of: old },
      { ended_at: Date.now() - 29 * DAY, of: young },
    ];
    for (const { ended_at, of } of times)
      await rows().updateTable('bulk_jobs').set({ ended_at }).where('id', '=', of.job_id).execute();
    expect(problemIn(await act(program, old, 'take-back'))).toBe('409 not-possible');
    await purgeExpired(ground.bridge.context);
    expect(problemIn(await program.get(`/jobs/${old.job_id}`))).toBe('404 not-found');
    const kept = rows().selectFrom('bulk_items').select('subject').where('job_id', '=', old.job_id);
    expect(await kept.execute()).toEqual([]);
    expect(await now(program, young)).toMatchObject({ state: 'done', items: { done: 1 } });
    expect(await now(program, open)).toMatchObject({ state: 'running', items: { waiting: 1 } });
    expect(await act(program, young, 'take-back')).toMatchObject({ status: 200 });
    await run();
  });

  test('work of hundreds of things holds its lease anew after each hundred, so no other process joins in', async () => {
    const { context } = ground.bridge;
    const transaction = context.store.transaction.bind(context.store);
    const ends = new Set<number>();
    context.store.transaction = async (work) => {
      const query = context.store.volatile
        .selectFrom('leases')
        .select('until')
        .where('name', '=', 'bulk jobs');
      for (const lease of await query.execute()) ends.add(lease.until);
      return transaction(work);
    };
    await extend(await lead(), await apps(201));
    await run();
    context.store.transaction = transaction;
    expect(ends.size).toBe(3);
  });
});
