import type { Context } from '../../src/domain/context.ts';
import { endLeakedTokens } from '../../src/domain/leaks/end-leaked-tokens.ts';
import { reportLeaks } from '../../src/domain/leaks/report-leaks.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { HOUR } from '../../src/shared/lifetimes.ts';
import { keepLeak, readLeaks } from '../../src/store/leaks/leaked-tokens.ts';
import { addApp } from '../reminders/support/planning-ground.ts';
import { type DeliveryGround, openDeliveryGround } from '../reminders/support/delivery-ground.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { actionsOf, addWaitingToken, mappingOf } from '../support/bridge/waiting-token.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';

/** When a reported token ends: at once or after its grace, exactly once, whatever process lives to do it. */

const origin = { actor: 'command', requestId: null };

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: DeliveryGround;
  let clock: SettableClock;
  let context: Context;
  let other: Context;
  let clientId: string;

  beforeAll(async () => {
    ground = await openDeliveryGround({ kind });
    clock = new SettableClock();
    context = await ground.open(clock);
    other = await ground.open(clock);
    clientId = await addApp(context);
  });

  afterAll(() => ground.close());

  const waiting = () => addWaitingToken({ context }, { clientId });
  const report = (token: string, hours: number, found = 'a log') =>
    reportLeaks(context, { reports: [{ token, found }], grace: hours * HOUR }, origin);
  const stateOf = async (token: string) => (await mappingOf({ context }, token))?.state;
  const endOf = async (id: string) => (await readLeaks(context.store.durable, [id])).get(id);
  const revocations = async (id: string) =>
    (await actionsOf({ context }, id)).filter((action) => action === 'token_revoked');

  test('a token goes on for its grace, and ends when it is over', async () => {
    const { token, mappingId } = await waiting();
    await report(token, 24);
    expect(await stateOf(token)).toBe('unmapped');
    clock.advance(24 * HOUR - 1);
    await endLeakedTokens(context);
    expect(await stateOf(token)).toBe('unmapped');
    clock.advance(1);
    await endLeakedTokens(context);
    expect(await stateOf(token)).toBe('revoked');
    expect(await endOf(mappingId)).toMatchObject({ endedAt: clock.now() });
    expect(await actionsOf({ context }, mappingId)).toEqual(['token_leaked', 'token_revoked']);
  });

  test('a later report brings the end forward and never puts it off', async () => {
    const { token, mappingId } = await waiting();
    await report(token, 24);
    const endsAt = clock.now() + 24 * HOUR;
    clock.advance(HOUR);
    await report(token, 48);
    expect(await endOf(mappingId)).toMatchObject({ endsAt });
    await report(token, 2);
    expect(await endOf(mappingId)).toMatchObject({ endsAt: clock.now() + 2 * HOUR });
    await report(token, 0);
    expect(await stateOf(token)).toBe('revoked');
  });

  test.each([
    ['an earlier end', 2, 'leaks:second'],
    ['no later end', 48, 'command'],
  ])('%s makes its reporter the actor of the revocation', async (_name, hours, actor) => {
    const { token, mappingId } = await waiting();
    await report(token, 24);
    const reports = [{ token, found: 'a page' }];
    const second = { actor: 'leaks:second', requestId: null };
    await reportLeaks(context, { reports, grace: hours * HOUR }, second);
    clock.advance(24 * HOUR);
    await endLeakedTokens(context);
    const ends = await context.store.durable
      .selectFrom('events')
      .select('actor')
      .where('mapping_id', '=', mappingId)
      .where('action', '=', 'token_revoked')
      .execute();
    expect(ends).toEqual([{ actor }]);
  });

  test('a token that support takes back while it is being reported is ended', async () => {
    const { token, mappingId } = await waiting();
    const setState = (state: 'revoked' | 'unmapped') =>
      context.store.durable.updateTable('mappings').set({ state }).where('id', '=', mappingId).execute();
    await setState('revoked');
    const store: Context['store'] = Object.create(context.store, {
      transaction: {
        value: async (work: never) => {
          await setState('unmapped');
          return context.store.transaction(work);
        },
      },
    });
    const reports = [{ token, found: 'a log' }];
    const found = await reportLeaks({ ...context, store }, { reports, grace: 0 }, origin);
    expect(found.get(token)).toEqual({ mappingId, hadEnded: false });
    await endLeakedTokens(context);
    expect(await stateOf(token)).toBe('revoked');
  });

  test('a token that was ended otherwise within its grace is off the list, and is not ended twice', async () => {
    const { token, mappingId } = await waiting();
    await report(token, 1);
    await context.store.durable
      .updateTable('mappings')
      .set({ state: 'migrated', updated_at: clock.now() })
      .where('id', '=', mappingId)
      .execute();
    const endedAt = clock.now();
    clock.advance(HOUR);
    await endLeakedTokens(context);
    expect(await stateOf(token)).toBe('migrated');
    expect(await endOf(mappingId)).toMatchObject({ endedAt });
    expect(await revocations(mappingId)).toEqual([]);
  });

  test('a report whose process died before the end is carried out by another process', async () => {
    const { token, mappingId } = await waiting();
    const now = clock.now();
    await context.store.transaction((tx) =>
      keepLeak(tx, { mappingId, by: 'leaks:k', now, endsAt: now, hasEnded: false }),
    );
    expect(await stateOf(token)).toBe('unmapped');
    await endLeakedTokens(other);
    expect(await stateOf(token)).toBe('revoked');
    expect(await revocations(mappingId)).toHaveLength(1);
  });

  test('the end and its claim are one step: what fails in between leaves the token on the list', async () => {
    const { token, mappingId } = await waiting();
    await report(token, 1);
    clock.advance(HOUR);
    const vault = {
      ...context.vault,
      witness: () => {
        throw new Error('no witness');
      },
    };
    await endLeakedTokens({ ...context, vault });
    expect([await stateOf(token), (await endOf(mappingId))?.endedAt]).toEqual(['unmapped', null]);
    await endLeakedTokens(context);
    expect(await stateOf(token)).toBe('revoked');
  });

  test('of two processes that end the same tokens at once, each token is ended by one', async () => {
    const tokens = await Promise.all(Array.from({ length: 30 }, waiting));
    for (const { token } of tokens) await report(token, 1);
    clock.advance(HOUR);
    await Promise.all([endLeakedTokens(context), endLeakedTokens(other)]);
    for (const { token, mappingId } of tokens) {
      expect(await stateOf(token)).toBe('revoked');
      expect(await revocations(mappingId)).toHaveLength(1);
    }
  });

  test('of two processes that take the same report at once, one writes it down', async () => {
    const { token, mappingId } = await waiting();
    const reports = [{ token, found: 'a page' }];
    const take = (at: Context) => reportLeaks(at, { reports, grace: 0 }, origin);
    await Promise.all([take(context), take(other), take(context), take(other)]);
    expect(await actionsOf({ context }, mappingId)).toEqual(['token_leaked', 'token_revoked']);
  });

  test('a token that is known by its digest alone shows its last characters from the report on', async () => {
    const [token, id, now] = [newLegacyToken(), newHexId(), clock.now()];
    await context.store.durable
      .insertInto('mappings')
      .values({
        id,
        token_digest: context.vault.digest(token),
        client_id: clientId,
        state: 'unmapped',
        source: 'imported',
        created_at: now,
        updated_at: now,
      })
      .execute();
    await report(token, 0);
    await context.flights.close();
    expect(await mappingOf({ context }, token)).toMatchObject({ hint_last: token.slice(-4) });
  });
});
