import { reportLeaks } from '../../../src/domain/leaks/report-leaks.ts';
import { DAY, HOUR } from '../../../src/shared/lifetimes.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { pressIn, wordsOf } from '../../owners/support/people.ts';
import { TakeBackWorld } from './support/take-back-world.ts';

/** What staff did with a token is taken back whole, or not at all. */

describe.each(databaseKinds)('on %s', (kind) => {
  const world = new TakeBackWorld();
  beforeAll(() => world.startOn(kind));
  afterAll(() => world.stop());

  /** An app of its own for each case, where DANA has a connection that serves two tokens. */
  async function connected() {
    world.apps = [await world.system.registerApp(`https://${newHexId()}.example/callback`)];
    const first = await world.made('issue', 0);
    const second = await world.made('import', 1);
    return { first, second };
  }

  async function revoked() {
    const pair = await connected();
    const before = await world.row(pair.first.id);
    await world.acts(pair.first.id, 'revoke');
    return { ...pair, before, entry: await world.entry('token_revoked', pair.first.id) };
  }

  const pastState = async (id: string, at: number) => (await world.pastOf(id, at)).json['state'];

  test('a revoked token is as before: its row, its calls, its past, and the history names the entry', async () => {
    const { first, before, entry } = await revoked();
    expect(await world.status(first.token)).toBe(401);
    const then = world.clock.now();
    const page = await world.lead.get(world.at(`/support/mappings/${first.id}`));
    expect(wordsOf(page)).toContain('If this was a mistake, it can be taken back until');
    expect(wordsOf(page)).not.toContain('This is final');
    expect(wordsOf(page)).toContain('Take back the revocation');
    expect(page.body).toContain(`/support/history/${entry}/take-back`);
    const left = await world.takesBack(entry);
    expect(left.location).toBe(`/support/mappings/${first.id}?done=taken-back`);
    expect(wordsOf(await world.lead.get(world.at(left.location ?? '')))).toContain('It is as it was before');
    expect(await world.row(first.id)).toEqual(before);
    expect(await world.status(first.token)).toBe(200);
    expect(await pastState(first.id, then)).toBe('revoked');
    expect(await pastState(first.id, world.clock.now())).toBe('active');
    const last = (await world.entries()).findLast(({ mapping_id: id }) => id === first.id);
    expect(last).toMatchObject({
      action: 'token_taken_back',
      actor: expect.stringContaining('account:'),
      reason: `entry ${entry}: the wrong one, ticket 4712`,
      grant_id: before.grant_id,
    });
    await world.chainIsWhole();
  });

  test('a form that is sent twice, and two at once, take back once', async () => {
    const { first, entry, before } = await revoked();
    const page = await world.lead.get(world.formOf(entry));
    const send = () => pressIn(world.lead, page, /Take it back/, { reason: 'twice' });
    const both = await Promise.all([send(), send()]);
    expect(both.map(({ location = '' }) => location.split('=')[1] ?? '').toSorted()).toEqual([
      'taken-back',
      'too-late',
    ]);
    expect((await send()).location).toContain('too-late');
    const back = (await world.entries()).filter(
      ({ mapping_id: id, action }) => id === first.id && action === 'token_taken_back',
    );
    expect(back).toHaveLength(1);
    expect(await world.row(first.id)).toEqual(before);
  });

  test('the last token of a connection: it is said before, and nothing is taken back', async () => {
    world.apps = [await world.system.registerApp(`https://${newHexId()}.example/callback`)];
    const { id } = await world.made('issue', 0);
    await world.db.deleteFrom('legacy_codes').where('mapping_id', '=', id).execute();
    const page = await world.lead.get(world.at(`/support/mappings/${id}/revoke`));
    expect(wordsOf(page)).toContain('This cannot be taken back');
    await world.acts(id, 'revoke');
    const entry = await world.entry('token_revoked', id);
    expect(await world.whyNot(entry)).toContain('the new API was told so');
    const after = await world.row(id);
    expect((await world.forces(entry)).location).toContain('too-late');
    expect(await world.row(id)).toEqual(after);
    expect(wordsOf(await world.lead.get(world.at(`/support/mappings/${id}`)))).toContain(
      'This cannot be taken back: The connection behind it has ended with its last token',
    );
  });

  test('with another token the page says until when it can be taken back', async () => {
    const { first } = await connected();
    const page = wordsOf(await world.lead.get(world.at(`/support/mappings/${first.id}/revoke`)));
    expect(page).toContain('It can be taken back for seven days');
    expect(page).not.toContain('This cannot be taken back');
  });

  test('seven days later it is too late', async () => {
    const { first, entry } = await revoked();
    await world.passes(7 * DAY - 3 * HOUR);
    expect(await world.whyNot(entry)).toBeUndefined();
    await world.passes(3 * HOUR);
    expect(await world.whyNot(entry)).toContain('more than seven days ago');
    expect((await world.forces(entry)).location).toContain('too-late');
    expect((await world.row(first.id)).state).toBe('revoked');
    const page = wordsOf(await world.lead.get(world.at(`/support/mappings/${first.id}`)));
    expect(page).toContain('This is final');
  });

  const BETWEEN: Array<
    [
      what: string,
      come: (tokens: {
        first: { id: string; token: string };
        second: { id: string; token: string };
      }) => Promise<unknown>,
      why: string,
    ]
  > = [
    [
      'the app was parted from the account',
      ({ second }) => readDeauthorize(second.token),
      'The access of the app to the account was ended since.',
    ],
    ['the account consented anew', () => world.made('issue', 0), 'The account was connected anew since.'],
    [
      'the token was found in public',
      ({ first }) =>
        reportLeaks(
          world.context,
          { reports: [{ token: first.token, found: 'a log' }], grace: 0 },
          { actor: 'test', requestId: null },
        ),
      'The token was reported as leaked.',
    ],
    [
      'the connection ended',
      async () => {
        await world.passes(HOUR);
        await world.actions['refuse']?.(world.secrets.length - 1);
      },
      'The connection that served it has ended since.',
    ],
  ];

  async function readDeauthorize(token: string) {
    const index = world.secrets.indexOf(token);
    await world.actions['deauthorize']?.(index);
  }

  test.each(BETWEEN)('refused where something came in between: %s', async (_what, come, why) => {
    const { first, second, entry } = await revoked();
    await come({ first, second });
    const after = await world.row(first.id);
    expect(after.state).toBe('revoked');
    expect(await world.whyNot(entry)).toBe(why);
    expect((await world.forces(entry)).location).toContain('too-late');
    expect(await world.row(first.id)).toEqual(after);
  });

  test('an assigned token is with its program again, and of two assignments the newer one first', async () => {
    const { id } = await world.made('observe', 0);
    const [one, two] = [
      await world.system.registerApp('https://one.example/callback'),
      await world.system.registerApp('https://two.example/callback'),
    ];
    const before = await world.row(id);
    await world.acts(id, 'assign', { client_id: one.clientId });
    const between = await world.row(id);
    const first = await world.entry('token_assigned', id);
    await world.acts(id, 'assign', { client_id: two.clientId });
    const second = await world.entry('token_assigned', id);
    expect(await world.whyNot(first)).toBe('The token was assigned otherwise since.');
    expect((await world.forces(first)).location).toContain('too-late');
    expect((await world.row(id)).client_id).toBe(two.clientId);
    await world.takesBack(second);
    expect(await world.row(id)).toEqual(between);
    await world.takesBack(first);
    expect(await world.row(id)).toEqual(before);
    const { json } = await world.pastOf(id, world.clock.now());
    expect([json['state'], json['client_id']]).toEqual([before.state, before.client_id]);
    await world.chainIsWhole();
  });

  test('what nobody may take back has no form: ends by holders and apps, leaks, and other entries', async () => {
    const { first, second } = await connected();
    await readDeauthorize(second.token);
    for (const entry of [
      await world.entry('token_revoked', first.id),
      await world.entry('deauthorized'),
      1,
    ]) {
      expect((await world.lead.get(world.formOf(entry))).status).toBe(404);
      expect((await world.forces(entry)).status).toBe(404);
    }
    expect((await world.row(first.id)).state).toBe('revoked');
  });
});
