import { runBulkJobs } from '../../src/domain/bulk/run-bulk-jobs.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, openGround, someApp } from './support/ground.ts';

/** In whose name a job does its items, and when it does no more of them. */

interface JobJson {
  job_id: string;
  state: string;
  items: Record<string, number>;
}

const reason = 'ticket 4711';
const until = new Date(Date.now() + 90 * DAY).toISOString();

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;

  beforeAll(async () => {
    ground = await openGround(kind);
  });
  afterAll(() => ground.stop());

  const run = () => runBulkJobs(ground.bridge.context);
  const rows = () => ground.bridge.context.store.durable;

  async function lead(): Promise<Program & { id: string }> {
    const { key, id } = await keyFor(ground, 'lead');
    return { ...programOf(ground, key), id };
  }
  const apps = async (count: number) => Promise.all(Array.from({ length: count }, () => someApp(ground)));
  const extend = async (program: Program, client_ids: string[]) =>
    (await program.post('/jobs/extend-apps', { client_ids, date: 'retirement', until, reason }))
      .json as JobJson;
  const now = async (program: Program, { job_id: id }: JobJson) =>
    (await program.get(`/jobs/${id}`)).json as JobJson;
  const act = async (program: Program, { job_id: id }: JobJson, action: string) =>
    program.post(`/jobs/${id}/${action}`);
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
});
