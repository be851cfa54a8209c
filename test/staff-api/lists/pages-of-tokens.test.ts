import { newHexId } from '../../../src/shared/ids.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import { keyFor, type Program, problemIn, programOf } from '../support/api-client.ts';
import { type ApiGround, openGround } from '../support/ground.ts';

/** A program reads every token of an app and of an account, whatever happens between two pages. */

describe.each(databaseKinds)('%s', (kind) => {
  let ground: ApiGround;
  let program: Program;
  const accountId = newHexId();

  beforeAll(async () => {
    ground = await openGround(kind);
    program = programOf(ground, (await keyFor(ground, 'reader')).key);
    for (let made = 0; made < 60; made += 1)
      await addWaitingToken(ground.bridge, { clientId: ground.app.clientId, accountId });
  });
  afterAll(() => ground.stop());

  const rows = () => ground.bridge.context.store.durable;

  const pageOf = async (path: string) =>
    (await program.get(path)).json as { tokens: Array<{ token_id: string }>; next_cursor: string | null };

  const idsIn = ({ tokens }: Awaited<ReturnType<typeof pageOf>>) => tokens.map(({ token_id: id }) => id);

  /** A token of the second page is used, and another one stops. */
  async function changeUnread(read: readonly string[], at: number): Promise<void> {
    const unread = rows().selectFrom('mappings').select('id').where('account_id', '=', accountId);
    const [one, other] = await unread.where('id', 'not in', read).execute();
    const update = (id = '') => rows().updateTable('mappings').where('id', '=', id);
    await update(one?.id).set({ last_used_at: at }).execute();
    await update(other?.id).set({ state: 'reauthorization_required', updated_at: at }).execute();
  }

  test.each(['apps', 'accounts'])('none of the tokens of %s is left out', async (of) => {
    const path = of === 'apps' ? `/apps/${ground.app.clientId}/tokens` : `/accounts/${accountId}/tokens`;
    const first = await pageOf(path);
    expect(first.tokens).toHaveLength(50);
    await changeUnread(idsIn(first), Date.now());
    const second = await pageOf(`${path}?cursor=${first.next_cursor}`);
    expect(second.next_cursor).toBeNull();
    const read = [...idsIn(first), ...idsIn(second)];
    const all = rows().selectFrom('mappings').select('id');
    const wanted = of === 'apps' ? all : all.where('account_id', '=', accountId);
    expect(read.toSorted()).toEqual((await wanted.execute()).map(({ id }) => id).toSorted());
  });

  test('a cursor of another list, and an account that was never met, are refused', async () => {
    for (const cursor of ['1764470000000_0123456789abcdef01234567', 'x'])
      for (const path of [`/apps/${ground.app.clientId}/tokens`, `/accounts/${accountId}/tokens`])
        expect(problemIn(await program.get(`${path}?cursor=${cursor}`))).toBe('422 invalid-request');
    for (const list of ['apps', 'numbers/apps', 'numbers/forecasts', 'handovers', 'jobs'])
      for (const cursor of ['1764470000000_0123456789abcdef01234567', 'x', '17', ''])
        expect([list, problemIn(await program.get(`/${list}?cursor=${cursor}`))]).toEqual([
          list,
          '422 invalid-request',
        ]);
    expect(problemIn(await program.get(`/accounts/${newHexId()}/tokens`))).toBe('404 not-found');
    expect(problemIn(await program.get(`/apps/${newHexId()}/tokens`))).toBe('404 not-found');
  });
});
