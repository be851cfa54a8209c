import { runBulkJobs } from '../../src/domain/bulk/run-bulk-jobs.ts';
import { takeOver } from '../../src/domain/instance/take-over.ts';
import { reportLeaks } from '../../src/domain/leaks/report-leaks.ts';
import { settleLeaks } from '../../src/jobs/settle-leaks.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { mappingOf } from '../support/bridge/waiting-token.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { keyFor, type Program, programOf } from './support/api-client.ts';
import { type ApiGround, openGround, someApp, waitingIn } from './support/ground.ts';

/** What was under way when a backup was made: a copy does not carry it on, and a take-over stops the jobs. */

interface JobJson {
  job_id: string;
  state: string;
  items: Record<string, number>;
}

const until = new Date(Date.now() + 90 * DAY).toISOString();

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let program: Program;

  beforeAll(async () => {
    ground = await openGround(kind);
    program = programOf(ground, (await keyFor(ground, 'lead')).key);
  });
  afterAll(() => ground.stop());

  const rows = () => ground.bridge.context.store.durable;
  const run = () => runBulkJobs(ground.bridge.context);
  const ask = async () => {
    const client_ids = await Promise.all([1, 2].map(() => someApp(ground)));
    const asked = { client_ids, date: 'retirement', until, reason: 'ticket 4711' };
    return program.post('/jobs/extend-apps', asked);
  };
  const extend = async () => (await ask()).json as JobJson;
  const act = ({ job_id: id }: JobJson, action: string) => program.post(`/jobs/${id}/${action}`);
  const now = async ({ job_id: id }: JobJson) => (await program.get(`/jobs/${id}`)).json as JobJson;
  const entriesOf = async ({ job_id: id }: JobJson) => {
    const events = rows().selectFrom('events').select(['actor', 'action']).where('reason', 'like', `${id}%`);
    const entries = await events.orderBy('id').execute();
    return entries.map(({ actor, action }) => `${action} by ${actor.split(':')[0]}`);
  };

  test('a copy does no item and ends no leaked token; after the take-over the jobs are stopped', async () => {
    const { context } = ground.bridge;
    const [ended, running, back] = [await extend(), await extend(), await extend()];
    await act(running, 'stop');
    await run();
    await act(back, 'take-back');
    await rows()
      .updateTable('bulk_jobs')
      .set({ state: 'running' })
      .where('id', '=', running.job_id)
      .execute();
    const { token } = await waitingIn(ground);
    const reports = [{ token, found: 'a log' }];
    await reportLeaks(context, { reports, grace: DAY }, { actor: 'command', requestId: null });
    await rows().updateTable('leaked_tokens').set({ ends_at: 1 }).execute();
    await rows().updateTable('instance').set({ state: 'copy' }).execute();
    await context.instance.look();

    await run();
    await settleLeaks(context);
    expect(await now(running)).toMatchObject({ state: 'running', items: { waiting: 2, done: 0 } });
    expect(await now(back)).toMatchObject({ state: 'taking_back', items: { done: 2, undone: 0 } });
    expect((await mappingOf(ground.bridge, token))?.state).toBe('unmapped');

    for (const answer of [await ask(), await act(ended, 'take-back')])
      expect(answer).toMatchObject({
        status: 409,
        json: { detail: expect.stringContaining('This is a restored copy') as string },
      });
    expect(await now(ended)).toMatchObject({ state: 'done' });

    await takeOver(context);
    await run();
    await settleLeaks(context);
    const stopped_why = expect.stringContaining('A restored copy was taken over') as string;
    const items = { waiting: 2, done: 0 };
    expect(await now(running)).toMatchObject({ state: 'stopped', stopped_why, items });
    expect(await now(back)).toMatchObject({ state: 'stopped', stopped_why, items: { done: 2, undone: 0 } });
    expect(await now(ended)).toMatchObject({ state: 'done', stopped_why: null });
    expect(await entriesOf(running)).toEqual([
      'bulk_asked by key',
      'bulk_stopped by key',
      'bulk_stopped by command',
    ]);
    expect((await mappingOf(ground.bridge, token))?.state).toBe('revoked');

    expect(await act(back, 'take-back')).toMatchObject({ status: 200 });
    await run();
    expect(await now(back)).toMatchObject({ state: 'taken_back', items: { undone: 2 } });
  });
});
