import { setTimeout as sleep } from 'node:timers/promises';
import { addWebhook } from '../../src/domain/webhooks/change-webhooks.ts';
import { newHexId, newOrderedId } from '../../src/shared/ids.ts';
import { insertDeliveries } from '../../src/store/webhooks/deliveries.ts';
import type { Bridges } from '../races/bridges.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { until } from '../support/servers/held-answer.ts';
import type { Receiver } from './support/receiver.ts';
import { type ReceivingBridges, startReceivingBridges } from './support/receiving-bridges.ts';

/** A webhook has one message under way at a time, whatever processes and places claim at once. */

const WEBHOOKS = 4;
const MESSAGES_EACH = 25;
const ANSWERS_AFTER = 40;

describe.each(databaseKinds)('two processes, on %s', (database) => {
  let started: ReceivingBridges;
  let receiver: Receiver;
  let bridges: Bridges;

  beforeAll(async () => {
    started = await startReceivingBridges(database);
    ({ receiver, bridges } = started);
  });
  afterAll(() => started.stop());

  async function addWithMessages(path: string): Promise<void> {
    const id = newHexId();
    const url = `https://127.0.0.1:${receiver.port}${path}`;
    const owner = { kind: 'app' as const, clientId: bridges.app.clientId };
    const asked = { id, owner, url, events: ['token.stopped'], actor: 'account:test', requestId: null };
    const added = await addWebhook(bridges.context, asked);
    if (typeof added === 'string') throw new Error(added);
    const now = bridges.context.clock.now();
    const messages = Array.from({ length: MESSAGES_EACH }, (_none, at) => {
      return { id: newOrderedId(now), event: 'test', told: `test:${at}`, body: '{}', created_at: now };
    });
    const rows = messages.map((one) => ({ ...one, webhook_id: id }));
    await insertDeliveries(bridges.context.store.durable, rows);
  }

  test('row W7 a receiver that takes its time never has two requests open', async () => {
    const open = new Map<string, number>();
    let most = 0;
    receiver.answer = (response, { path }) => {
      const now = (open.get(path) ?? 0) + 1;
      open.set(path, now);
      most = Math.max(most, now);
      void sleep(ANSWERS_AFTER).then(() => {
        open.set(path, (open.get(path) ?? 0) - 1);
        response.writeHead(204).end();
      });
    };
    const paths = Array.from({ length: WEBHOOKS }, (_none, at) => `/held-${at}`);
    await Promise.all(paths.map(addWithMessages));
    await until(() => receiver.received.length >= WEBHOOKS * MESSAGES_EACH, 100_000);
    expect(most).toBe(1);
    expect(
      new Set(receiver.received.map(({ path, headers }) => `${path} ${String(headers['webhook-id'])}`)).size,
    ).toBe(receiver.received.length);
  }, 120_000);
});
