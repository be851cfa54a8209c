import { findTokenCommand } from '../../../src/cli/commands/tokens/token-actions.ts';
import { WrongUsage } from '../../../src/cli/commands/wrong-usage.ts';
import { tokenAfter } from '../../../src/domain/support/past/token-then.ts';
import { DAY, HOUR } from '../../../src/shared/lifetimes.ts';
import { DANA, waitingToken, wordsOf } from '../../owners/support/people.ts';
import { until } from '../../support/servers/held-answer.ts';
import { act } from '../support/actions.ts';
import { PastWorld } from './support/past-world.ts';

/** A token at a past moment: what the history knows, what it does not know, and whether the chain proves it. */

const world = new PastWorld();
beforeAll(() => world.start());
afterAll(() => world.stop());

const isoOf = (at: number) => new Date(at).toISOString();
const pageAt = (id: string, at: string) =>
  world.lead.get(world.at(`/support/mappings/${id}?at=${encodeURIComponent(at)}`));
const durable = () => world.system.bridge.context.store.durable;

/** A token that one action makes, and its id. */
async function made(action: string, pick = 1): Promise<string> {
  await world.actions[action]?.(pick);
  const one = await world.known(world.secrets.length - 1);
  return one?.id ?? '';
}

/** A token of a new app, which waits. */
async function waiting(): Promise<string> {
  world.apps = [await world.system.registerApp('https://new.example/callback')];
  return made('import');
}

const chained = (id: string) =>
  until(async () => {
    const rows = durable().selectFrom('events').select('position').where('mapping_id', '=', id);
    return (await rows.execute()).every(({ position }) => position !== null);
  });

test.each([
  ['issue', 'Before that it did not exist.'],
  ['import', 'Before that it may have been in use at the old API.'],
  ['observe', 'Before that it may have been in use at the old API.'],
])('before its first entry nothing is known of a token: %s', async (action, words) => {
  const id = await made(action);
  const { ok, json, lines } = await world.pastOf(id, world.clock.now() - 1 * HOUR);
  expect([ok, json['state'], json['client_id'], json['known_from_beginning']]).toEqual([
    true,
    null,
    null,
    true,
  ]);
  expect(lines.join('\n')).toContain('not known');
  expect(lines.join('\n')).toContain(words);
  expect(wordsOf(await pageAt(id, isoOf(world.clock.now() - 1 * HOUR)))).toContain(words);
});

test('a token without an entry is said to have none, and one whose beginning is gone is told from where it is known', async () => {
  const { id } = await waitingToken(world.system, { accountId: DANA.accountId });
  expect((await world.pastOf(id, world.clock.now())).lines.join('\n')).toContain(
    'The history has no entry that tells how this token stood.',
  );
  // A link is about the token, and changes nothing of how it stands.
  await act(world.lead, world.at(`/support/mappings/${id}/link`));
  const before = await world.pastOf(id, world.clock.now());
  expect(before.json).toMatchObject({ state: null, known_from_beginning: false });
  expect(before.lines.join('\n')).toContain('not known');
  await act(world.lead, world.at(`/support/mappings/${id}/revoke`));
  const { json, lines } = await world.pastOf(id, world.clock.now());
  expect(json).toMatchObject({ state: 'revoked', cause: 'ticket 4711', account_id: DANA.accountId });
  expect(lines.join('\n')).toContain('How the token came is not among its entries');
});

test('look-ups, which a reader makes without end, hide no change and are not read', async () => {
  const id = await made('issue');
  const { durable: db } = world.system.bridge.context.store;
  const [one] = await db.selectFrom('events').selectAll().where('mapping_id', '=', id).limit(1).execute();
  const { id: _id, position: _position, chain: _chain, uid: _uid, ...entry } = one!;
  const lookUp = { ...entry, action: 'token_looked_up', at: world.clock.now() };
  for (let part = 0; part < 21; part += 1) {
    const some = Array.from({ length: 500 }, (_, at) => ({ ...lookUp, uid: `look-${part}-${at}` }));
    await db.insertInto('events').values(some).execute();
  }
  world.clock.advance(5000);
  await act(world.lead, world.at(`/support/mappings/${id}/revoke`));
  const { json } = await world.pastOf(id, world.clock.now());
  expect(json).toMatchObject({ state: 'revoked', proven: true });
  await db.deleteFrom('events').where('action', '=', 'token_looked_up').execute();
}, 60_000);

test('an end divides the time: working before, revoked with its reason after', async () => {
  const id = await made('issue');
  world.clock.advance(5000);
  const before = world.clock.now();
  world.clock.advance(5000);
  await world.actions['deauthorize']?.(world.secrets.length - 1);
  const after = world.clock.now();
  expect((await world.pastOf(id, before)).json).toMatchObject({
    state: 'active',
    grant: 'alive',
    cause: null,
  });
  expect((await world.pastOf(id, after)).json).toMatchObject({
    state: 'revoked',
    grant: 'ended',
    cause: 'deauthorized',
  });
  expect((await world.pastOf(id, after - 1)).json).toMatchObject({ state: 'active', grant: 'alive' });
  const page = await pageAt(id, isoOf(before));
  expect(wordsOf(page)).toContain('State then connected');
  expect(page.body).toContain(`value="${isoOf(before)}"`);
});

test('an entry that was edited, and one that was added, are left out, and the command fails', async () => {
  const id = await waiting();
  await chained(id);
  const now = world.clock.now();
  expect((await world.pastOf(id, now)).ok).toBe(true);
  const {
    action: _action,
    id: _id,
    ...like
  } = await durable().selectFrom('events').selectAll().where('mapping_id', '=', id).executeTakeFirstOrThrow();
  const forged = { ...like, action: 'token_revoked', reason: 'forged', position: null, chain: null };
  // With the witness of another entry, and as entries of early versions were, without one.
  for (const witness of [{ uid: 'forged' }, { uid: null, witness: null }]) {
    await durable()
      .insertInto('events')
      .values({ ...forged, ...witness })
      .execute();
    const added = await world.pastOf(id, now);
    expect(added).toMatchObject({ ok: false, json: { state: 'unmapped', proven: false } });
    expect(added.lines.join('\n')).toMatch(/NOT PROVEN: the chain refuses 1 entry .* history verify/);
    await durable().deleteFrom('events').where('reason', '=', 'forged').execute();
  }
  const edit = (account: string | null) =>
    durable().updateTable('events').set({ account_id: account }).where('mapping_id', '=', id).execute();
  await edit('5e1f0c9a7b3d4e2f8a6c1d02');
  const edited = await world.pastOf(id, now);
  expect(edited).toMatchObject({ ok: false, json: { state: null, account_id: null, proven: false } });
  expect(wordsOf(await pageAt(id, isoOf(now)))).toContain('NOT PROVEN');
  await edit(like.account_id);
  expect((await world.pastOf(id, now)).ok).toBe(true);
});

test('an entry whose neighbour before it was removed from the chain is not proven', async () => {
  const id = await waiting();
  await chained(id);
  const { position } = await durable()
    .selectFrom('events')
    .select('position')
    .where('mapping_id', '=', id)
    .executeTakeFirstOrThrow();
  const move = (from: number, to: number) =>
    durable().updateTable('events').set({ position: to }).where('position', '=', from).execute();
  const [before, aside] = [Number(position) - 1, 1_000_000_000];
  await move(before, aside);
  expect((await world.pastOf(id, world.clock.now())).ok).toBe(false);
  await move(aside, before);
  expect((await world.pastOf(id, world.clock.now())).ok).toBe(true);
});

test('a moment that has not come tells the newest state, and says so', async () => {
  const id = await waiting();
  const { lines, json } = await world.pastOf(id, world.clock.now() + DAY);
  expect(json['state']).toBe('unmapped');
  expect(lines.join('\n')).toContain('This moment has not come');
});

test.each(['yesterday', '2027-13-01', '2027-02-01T09:00', '1999-01-01', ' '])(
  'the unreadable moment %j is refused by the command with the usage, and by the page at its field',
  async (at) => {
    const id = (await world.rows())[0]?.id ?? '';
    await expect(findTokenCommand({ at }, [id])).rejects.toThrow(WrongUsage);
    if (at === ' ') return;
    const page = await pageAt(id, at);
    expect(page.status).toBe(422);
    expect(wordsOf(page)).toContain('The moment must be a date such as');
    expect(page.body).toContain(`value="${at}"`);
    expect(page.body).toContain('aria-invalid="true"');
  },
);

test('a moment that is markup, long or given twice is a text, or none', async () => {
  const id = (await world.rows())[0]?.id ?? '';
  const odd = await pageAt(id, '"><script>alert(1)</script>');
  expect(odd.status).toBe(422);
  expect(odd.body).not.toContain('<script>alert');
  expect((await pageAt(id, 'x'.repeat(5000))).body).not.toContain('x'.repeat(41));
  const twice = await world.lead.get(world.at(`/support/mappings/${id}?at=2027-01-01&at=2027-01-02`));
  expect(twice.status).toBe(422);
});

test('a hand-over ends the token in the history as in its row', () => {
  const entry = {
    actor: 'app:a',
    client_id: 'a',
    account_id: 'b',
    grant_id: 'g',
    mapping_id: 'm',
    reason: 'r',
  };
  const entries = [
    { ...entry, id: 1, at: 1, action: 'token_issued' },
    { ...entry, id: 2, at: 2, action: 'grant_probed' },
    { ...entry, id: 3, at: 3, action: 'token_migrated' },
  ];
  expect(tokenAfter(entries)).toEqual({
    state: 'migrated',
    since: 3,
    clientId: 'a',
    accountId: 'b',
    grantId: 'g',
    cause: 'handed_over',
  });
});
