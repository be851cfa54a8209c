import { withLease } from '../../src/domain/work/lease.ts';
import { sealHistory } from '../../src/domain/history/seal-history.ts';
import { ofMappings, recordEvents } from '../../src/domain/history/record-event.ts';
import { readHistoryForWebhooks } from '../../src/domain/webhooks/read-history.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { MINUTE } from '../../src/shared/lifetimes.ts';
import { EVENTS_PER_PAGE } from '../../src/store/history/events.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/** Tokens that stopped together are told in one message, wherever the reading of the history ends in between. */

describe(`with ${databaseKinds.join(' or ')}`, () => {
  let ground: WebhookGround;

  beforeAll(async () => {
    ground = await openWebhookGround();
  });
  afterAll(() => ground.stop());
  beforeEach(() => ground.forget());

  const context = () => ground.system.bridge.context;

  /** The entries of a connection that ended with so many tokens, in one transaction as the bridge writes them. */
  async function stop(count: number): Promise<void> {
    const tokens = Array.from({ length: count }, () => newHexId());
    const change = {
      at: context().clock.now(),
      actor: 'bridge',
      action: 'token_reauthorization_required',
      reason: 'grant_refused',
      clientId: ground.system.app.clientId,
      grantId: newHexId(),
    };
    await context().store.transaction((tx) => recordEvents(context(), tx, ofMappings(change, tokens)));
  }

  /** Entries that are told to nobody. */
  async function pass(count: number): Promise<void> {
    const change = { at: context().clock.now(), actor: 'command', action: 'passed', reason: 'as agreed' };
    const changes = Array.from({ length: count }, () => change);
    await context().store.transaction((tx) => recordEvents(context(), tx, changes));
  }

  async function counts(): Promise<unknown[]> {
    for (let turn = 0; turn < 3; turn += 1) await ground.deliver();
    return ground.messages().map(({ data }) => data['count']);
  }

  test('a page that ends amid them leaves them to the next one', async () => {
    await ground.add(ground.urlOf('/in'));
    await ground.tell();
    await pass(EVENTS_PER_PAGE - 10);
    await stop(30);
    await pass(1);
    await ground.tell();
    expect(await counts()).toEqual([30]);
  });

  test('more than a page holds are told in several messages', async () => {
    await ground.add(ground.urlOf('/in'));
    await ground.tell();
    await pass(5);
    await stop(EVENTS_PER_PAGE + 20);
    await ground.tell();
    expect(await counts()).toEqual([EVENTS_PER_PAGE, 20]);
  });

  /** Runs the work while the last entries are not chained yet. */
  async function withUnchained(count: number, work: () => Promise<void>): Promise<void> {
    await sealHistory(context());
    await withLease(context(), { name: 'history', limit: MINUTE }, async () => {
      const { durable } = context().store;
      const last = durable.selectFrom('events').select('id').orderBy('id', 'desc').limit(count);
      const ids = (await last.execute()).map(({ id }) => id);
      const unchain = durable.updateTable('events').set({ position: null, chain: null });
      await unchain.where('id', 'in', ids).execute();
      await work();
    });
  }

  test('what is chained in part waits for the rest', async () => {
    await ground.add(ground.urlOf('/in'));
    await ground.tell();
    await stop(30);
    await withUnchained(10, async () => {
      await readHistoryForWebhooks(context());
      expect(await counts()).toEqual([]);
    });
    await ground.tell();
    expect(await counts()).toEqual([30]);
  });

  test('what is never chained holds up nothing for longer than a minute', async () => {
    await ground.add(ground.urlOf('/in'));
    await ground.tell();
    await stop(30);
    await withUnchained(10, async () => {
      ground.clock.advance(MINUTE + 1);
      await readHistoryForWebhooks(context());
      expect(await counts()).toEqual([20]);
    });
  });
});
