import { newHexId } from '../../../src/shared/ids.ts';
import { exchange, OWN_CLIENT, useOwnClient } from '../../exchange/support/own-client.ts';
import { DANA, waitingToken, wordsOf } from '../../owners/support/people.ts';
import { keyFor, programOf } from '../../staff-api/support/api-client.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import { TakeBackWorld } from './support/take-back-world.ts';

/** Where an app has taken a connection over, a token of the two that becomes known later ends. Staff are told so. */

describe.each(databaseKinds)('on %s', (kind) => {
  const world = new TakeBackWorld();
  beforeAll(() => world.startOn(kind));
  afterAll(() => world.stop());

  /** An app that has taken the connection of DANA over. */
  async function takenOver() {
    const app = await world.system.registerApp(`https://${newHexId()}.example/callback`);
    world.apps = [app];
    await useOwnClient({ bridge: world.system.bridge, app }, OWN_CLIENT);
    const { token } = await world.made('issue', 0);
    expect((await exchange(world.system.bridgeUrl, token)).status).toBe(200);
    return app;
  }

  const form = async (id: string, name: string) =>
    wordsOf(await world.lead.get(world.at(`/support/mappings/${id}/${name}`)));

  const underAddress = async () => {
    const email = `${newHexId()}@box.example`;
    return { email, ...(await waitingToken(world.system, { app: await takenOver(), email })) };
  };

  test('a pin says before that such a token ends, and after that one has ended; it can be taken back', async () => {
    const { id } = await underAddress();
    expect(await form(id, 'pin')).toContain('the token ends as moved: its calls are refused from then on');
    const left = await world.acts(id, 'pin', { account_id: DANA.accountId });
    expect(left.location).toBe(`/support/mappings/${id}?done=account-pinned-moved`);
    expect(wordsOf(await world.lead.get(world.at(left.location ?? '')))).toContain(
      'the token has ended as moved, and its calls are refused',
    );
    expect((await world.row(id)).state).toBe('migrated');
    await world.takesBack(await world.entry('account_pinned', id));
    expect(await world.row(id)).toMatchObject({ state: 'unmapped', account_id: null });
  });

  test('an assignment says so too', async () => {
    const app = await takenOver();
    const { id } = await world.made('observe');
    expect(await form(id, 'assign')).toContain('the token ends as moved: its calls are refused from then on');
    const left = await world.acts(id, 'assign', { client_id: app.clientId });
    expect(left.location).toBe(`/support/mappings/${id}?done=token-assigned-moved`);
    expect(wordsOf(await world.lead.get(world.at(left.location ?? '')))).toContain(
      'the token has ended as moved: its calls are refused from now on',
    );
    expect((await world.row(id)).state).toBe('migrated');
  });

  test('a program is told by the answer', async () => {
    const lead = programOf(world.system, (await keyFor(world.system, 'lead')).key);
    const pin = async ({ id, email }: { id: string; email: string }) => {
      const asked = { email, account_id: DANA.accountId, reason: 'ticket 4711' };
      return (await lead.post(`/tokens/${id}/pin`, asked)).json;
    };
    expect(await pin(await underAddress())).toMatchObject({ has_moved: true });
    const email = `${newHexId()}@box.example`;
    expect(await pin({ email, ...(await waitingToken(world.system, { email })) })).toMatchObject({
      has_moved: false,
    });
  });
});
