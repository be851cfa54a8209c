import { purgeExpired } from '../../../src/domain/purge-expired.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { insertProof } from '../../../src/store/accounts/email-proofs.ts';
import { insertHandover } from '../../../src/store/grants/handovers.ts';
import { insertSession } from '../../../src/store/accounts/sessions.ts';
import { addUsage } from '../../../src/store/usage/usage.ts';
import { databaseKinds } from '../../store/support/stores.ts';
import { ACCOUNT, keepAppAndAccount, keepGrant } from '../../store/support/rows.ts';
import { type History, openHistory } from '../support/histories.ts';

/** What the tokens from before the bridge leave behind is removed when nobody may need it any more. */

const DAY = 86_400_000;

describe.each(databaseKinds)('on %s', (kind) => {
  let history: History;
  beforeAll(async () => {
    history = await openHistory(kind);
    await keepAppAndAccount(history.db);
  });
  afterAll(() => history.close());

  const ago = (days: number) => history.context.clock.now() - days * DAY;

  const dayBefore = (days: number) => new Date(ago(days)).toISOString().slice(0, 10);

  /** A grant that was handed over so many days ago. */
  async function handOver(id: string, days: number, confirmedAt: number | null = null): Promise<void> {
    const at = ago(days);
    await keepGrant(history.db, id, { state: 'dead', dead_cause: 'handed_over', dead_at: at });
    const row = {
      grant_id: id,
      client_id: `app-of-${id}`,
      account_id: ACCOUNT,
      version: 1,
      migrated_tokens: 1,
    };
    await insertHandover(history.db, { ...row, handed_at: at, confirmed_at: confirmedAt });
  }

  const keptPairs = async () => {
    const rows = await history.db
      .selectFrom('grants')
      .select('id')
      .where((eb) =>
        eb.or([eb('refresh_token_sealed', 'is not', null), eb('access_token_sealed', 'is not', null)]),
      )
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  };

  const erasings = () =>
    history.db
      .selectFrom('events')
      .select(['actor', 'grant_id', 'client_id', 'account_id', 'reason'])
      .where('action', '=', 'handover_erased')
      .execute();

  test('a pair that was handed over and not confirmed is erased after seven days, once and with its entry', async () => {
    await handOver('late', 7.01);
    await handOver('in-time', 6.99);
    await handOver('confirmed', 7.01, ago(7));
    await keepGrant(history.db, 'refused', { state: 'dead', dead_cause: 'refused', dead_at: ago(7.01) });
    await purgeExpired(history.context);
    await purgeExpired(history.context);
    expect(await keptPairs()).toEqual(['in-time']);
    const told = { actor: 'bridge', grant_id: 'late', client_id: 'app-of-late', account_id: ACCOUNT };
    expect(await erasings()).toEqual([{ ...told, reason: 'not confirmed in seven days' }]);
  });

  test('usage is kept for 400 days, and older is removed however much there is', async () => {
    const { store } = history.context;
    const row = { endpoint: 'e', carrier: 'header', user_agent: 'a', outcome: 'ok', calls: 1, last_at: 0 };
    const old = Array.from({ length: 2001 }, (_, n) => ({
      ...row,
      mapping_id: `m${n}`,
      day: dayBefore(402),
    }));
    await addUsage(store, old);
    await addUsage(store, [{ ...row, mapping_id: 'm1', day: dayBefore(399) }]);
    await purgeExpired(history.context);
    const left = await store.volatile.selectFrom('usage').select(['mapping_id', 'day']).execute();
    expect(left).toEqual([{ mapping_id: 'm1', day: dayBefore(399) }]);
  });

  test('a link that proves an address goes a day after its end, a session at its end', async () => {
    const { store } = history.context;
    for (const [id, days] of [
      ['ended', 1.01],
      ['kept', 0.99],
    ] as const) {
      const link = { id, token_digest: newHexId(), email: 'a@b.example', account_id: ACCOUNT };
      await insertProof(history.db, { ...link, created_at: ago(days + 1), expires_at: ago(days) });
    }
    await insertSession(store, {
      id_digest: 'ended',
      content: '{}',
      account_id: 'a',
      expires_at: ago(0.001),
    });
    await insertSession(store, { id_digest: 'kept', content: '{}', account_id: 'a', expires_at: ago(-0.01) });
    await purgeExpired(history.context);
    expect(await history.db.selectFrom('email_proofs').select('id').execute()).toEqual([{ id: 'kept' }]);
    expect(await store.volatile.selectFrom('sessions').select('id_digest').execute()).toEqual([
      { id_digest: 'kept' },
    ]);
  });
});
