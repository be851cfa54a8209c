import { newHexId } from '../../../src/shared/ids.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import { pressIn, wordsOf } from '../../owners/support/people.ts';
import { TakeBackWorld } from './support/take-back-world.ts';

/** An assignment ends no connection of which its page did not tell. */

describe.each(databaseKinds)('on %s', (kind) => {
  const world = new TakeBackWorld();
  beforeAll(() => world.startOn(kind));
  afterAll(() => world.stop());

  const newApp = () => world.system.registerApp(`https://${newHexId()}.example/callback`);
  const assignPage = (id: string) => world.lead.get(world.at(`/support/mappings/${id}/assign`));

  async function connect() {
    world.clock.advance(1000);
    await world.actions['connect']?.(0);
  }

  test('a page that was opened before somebody else assigned the token assigns nothing', async () => {
    const [app, other] = [await newApp(), await newApp()];
    const { id } = await world.made('observe');
    const old = await assignPage(id);
    await world.acts(id, 'assign', { client_id: app.clientId });
    world.apps = [app];
    await connect();
    const before = await world.row(id);
    expect(before).toMatchObject({ state: 'active', client_id: app.clientId });
    const entries = { client_id: other.clientId, reason: 'as the old page said' };
    const left = await pressIn(world.lead, old, /^Assign the token$/, entries);
    expect(left.location).toBe(`/support/mappings/${id}?done=too-late`);
    expect(await world.row(id)).toEqual(before);
    const grant = world.db
      .selectFrom('grants')
      .select('state')
      .where('id', '=', before.grant_id ?? '');
    expect((await grant.executeTakeFirstOrThrow()).state).toBe('ready');
  });

  test('a page that was opened before the holder connected the token assigns nothing', async () => {
    const [app, other] = [await newApp(), await newApp()];
    const { id } = await world.made('observe');
    await world.acts(id, 'assign', { client_id: app.clientId });
    const old = await assignPage(id);
    world.apps = [app];
    await connect();
    const before = await world.row(id);
    expect(before.state).toBe('active');
    const entries = { client_id: other.clientId, reason: 'as the old page said' };
    const left = await pressIn(world.lead, old, /^Assign the token$/, entries);
    expect(left.location).toBe(`/support/mappings/${id}?done=too-late`);
    expect(await world.row(id)).toEqual(before);
  });

  test('that a connection ends with its last token is said before, and after', async () => {
    const [app, other] = [await newApp(), await newApp()];
    const { id } = await world.made('observe');
    expect(wordsOf(await assignPage(id))).toContain('It can be taken back for seven days');
    await world.acts(id, 'assign', { client_id: app.clientId });
    world.apps = [app];
    await connect();
    const page = wordsOf(await assignPage(id));
    expect(page).toContain('that connection ends too, at the new API as well, and this cannot be taken back');
    const left = await world.acts(id, 'assign', { client_id: other.clientId });
    expect(left.location).toBe(`/support/mappings/${id}?done=token-assigned-last`);
    const after = wordsOf(await world.lead.get(world.at(left.location ?? '')));
    expect(after).toContain('It was the last token of its earlier connection');
  });
});
