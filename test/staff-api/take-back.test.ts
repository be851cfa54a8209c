import { giveApp } from '../../src/domain/accounts/give-app.ts';
import { runBulkJobs } from '../../src/domain/bulk/run-bulk-jobs.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { upsertAccount } from '../../src/store/accounts/accounts.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, openGround, revokedEntry, someApp, waitingIn } from './support/ground.ts';

/** Taking back by programs: by the id of an entry, and item by item of a job. */

const reason = 'ticket 4711';

interface JobJson {
  job_id: string;
  items: Record<string, number>;
}

const takeBack = (program: Program, entry: number | string) =>
  program.post(`/history/${entry}/take-back`, { reason });

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let lead: Program;
  let agent: Program;
  beforeAll(async () => {
    ground = await openGround(kind);
    lead = programOf(ground, (await keyFor(ground, 'lead')).key);
    agent = programOf(ground, (await keyFor(ground, 'agent')).key);
  });
  afterAll(() => ground.stop());

  const db = () => ground.bridge.context.store.durable;
  const rowOf = (id: string) =>
    db().selectFrom('mappings').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const entryOf = async (action: string) =>
    (
      await db()
        .selectFrom('events')
        .select('id')
        .where('action', '=', action)
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow()
    ).id;

  test('what an entry tells is taken back once, and the second answer says why not', async () => {
    const { mappingId } = await waitingIn(ground, 'observed');
    const before = await rowOf(mappingId);
    await agent.post(`/tokens/${mappingId}/revoke`, { reason });
    const revoked = (await agent.get(`/tokens/${mappingId}`)).json as { status: { next: string } };
    expect(revoked.status.next).toContain('it can be taken back until');
    const assigned = await agent.post(`/tokens/${mappingId}/assign`, {
      client_id: await someApp(ground),
      reason,
    });
    expect([problemIn(assigned), assigned.text.includes('final')]).toEqual(['409 not-possible', false]);
    const { entries } = (await agent.get(`/tokens/${mappingId}/history`)).json as {
      entries: Array<{ entry_id: number; action: string }>;
    };
    const entry = entries.find(({ action }) => action === 'token_revoked')?.entry_id ?? 0;
    expect((await takeBack(agent, entry)).json).toEqual({ entry_id: entry, what: 'revoke', changes: 1 });
    expect(await rowOf(mappingId)).toEqual(before);
    const again = await takeBack(agent, entry);
    expect(problemIn(again)).toBe('409 not-possible');
    expect((again.json as { detail: string }).detail).toBe('It was taken back already.');
  });

  test('two at once: one of them has taken it back', async () => {
    const entry = await revokedEntry(ground);
    const both = await Promise.all([takeBack(agent, entry), takeBack(lead, entry)]);
    expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
  });

  test('an entry of something else, of nothing, and of a higher role', async () => {
    expect(problemIn(await takeBack(lead, 1))).toBe('409 not-possible');
    expect(problemIn(await takeBack(lead, 999_999_999))).toBe('409 not-possible');
    expect(problemIn(await takeBack(lead, 'x'))).toMatch(/^4\d\d/);
    const clientId = await someApp(ground);
    await lead.post(`/apps/${clientId}/cut-over`, { percent: 10, reason });
    const entry = await entryOf('app_cut_over');
    expect(problemIn(await takeBack(agent, entry))).toBe('403 role-too-low');
    expect((await takeBack(lead, entry)).json).toEqual({ entry_id: entry, what: 'cut_over', changes: 1 });
    const app = db().selectFrom('apps').select('cut_over_percent').where('client_id', '=', clientId);
    expect((await app.executeTakeFirstOrThrow()).cut_over_percent).toBe(0);
  });

  test('a key takes no gift of an app back: a stolen one would give it to its former owner', async () => {
    const clientId = await someApp(ground);
    const to = newHexId();
    await upsertAccount(db(), {
      account_id: to,
      email: `${to}@box.example`,
      name: null,
      timezone: null,
      updated_at: 0,
    });
    const asked = { clientId, to, reason, actor: 'command', requestId: null };
    expect(await giveApp(ground.bridge.context, asked)).toMatchObject({ accountId: to });
    const answer = await takeBack(lead, await entryOf('owner_changed'));
    expect([problemIn(answer), answer.text]).toEqual([
      '409 not-possible',
      expect.stringContaining('by a lead on a page of support'),
    ]);
    const app = db().selectFrom('apps').select('owner_account_id').where('client_id', '=', clientId);
    expect((await app.executeTakeFirstOrThrow()).owner_account_id).toBe(to);
  });

  async function assignedByJob(ids: readonly string[]): Promise<JobJson> {
    const body = { token_ids: ids, client_id: ground.app.clientId, reason };
    const job = (await lead.post('/jobs/assign-tokens', body)).json as JobJson;
    await runBulkJobs(ground.bridge.context);
    return job;
  }

  async function jobBack({ job_id: id }: JobJson): Promise<JobJson> {
    await lead.post(`/jobs/${id}/take-back`);
    await runBulkJobs(ground.bridge.context);
    return (await lead.get(`/jobs/${id}`)).json as JobJson;
  }

  test('a job keeps an assignment that somebody made in between, even to the same app', async () => {
    const [one, two] = [await waitingIn(ground, 'observed'), await waitingIn(ground, 'observed')];
    const before = await rowOf(two.mappingId);
    const job = await assignedByJob([one.mappingId, two.mappingId]);
    const other = await someApp(ground);
    for (const client_id of [other, ground.app.clientId])
      expect((await agent.post(`/tokens/${one.mappingId}/assign`, { client_id, reason })).status).toBe(200);
    const between = await rowOf(one.mappingId);
    expect((await jobBack(job)).items).toMatchObject({ undone: 1, kept: 1 });
    expect(await rowOf(one.mappingId)).toEqual(between);
    expect(await rowOf(two.mappingId)).toEqual(before);
  });

  test('an item of an earlier version, which names no deed, is assigned back only from the app of the job', async () => {
    const [one, two] = [await waitingIn(ground, 'observed'), await waitingIn(ground, 'observed')];
    const from = (await rowOf(two.mappingId)).client_id;
    const job = await assignedByJob([one.mappingId, two.mappingId]);
    for (const { mappingId } of [one, two]) {
      const answer = JSON.stringify({ from: mappingId === two.mappingId ? from : newHexId() });
      const items = db().updateTable('bulk_items').set({ answer }).where('subject', '=', mappingId);
      await items.execute();
    }
    const other = await someApp(ground);
    await agent.post(`/tokens/${one.mappingId}/assign`, { client_id: other, reason });
    expect((await jobBack(job)).items).toMatchObject({ undone: 1, kept: 1 });
    expect((await rowOf(one.mappingId)).client_id).toBe(other);
    expect((await rowOf(two.mappingId)).client_id).toBe(from);
  });
});
