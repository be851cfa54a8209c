import { sealHistory } from '../../../../src/domain/history/seal-history.ts';
import { revokeByHand } from '../../../../src/domain/tokens/revoke-token.ts';
import { sendWebhooks } from '../../../../src/domain/webhooks/deliver.ts';
import { readHistoryForWebhooks } from '../../../../src/domain/webhooks/read-history.ts';
import { listUnchained } from '../../../../src/store/history/events.ts';
import { DANA, waitingToken } from '../../../owners/support/people.ts';
import { until } from '../../../support/servers/held-answer.ts';
import type { WebhookGround } from '../../../webhooks/support/webhook-ground.ts';
import { type Flow, type FlowEnd, wrong } from './flow.ts';
import { endOfWork } from './work-flows.ts';

/** What happens to a token becomes one message of its webhook, and the message reaches its receiver. */

const DONE: FlowEnd = { kind: 'done', said: '' };

const BY = { actor: 'test', requestId: null, reason: 'ticket 4711' };

const contextOf = ({ system }: WebhookGround) => system.bridge.context;

const messagesOf = (ground: WebhookGround) =>
  contextOf(ground).store.durable.selectFrom('webhook_deliveries').select(['id', 'state']).execute();

/** A token stops, and the history has it in its chain. */
async function stopToken(ground: WebhookGround): Promise<void> {
  const context = contextOf(ground);
  const { id } = await waitingToken(ground.system, { accountId: DANA.accountId });
  await revokeByHand(context, { mappingId: id, ...BY });
  await until(async () => {
    await sealHistory(context);
    return (await listUnchained(context.store.durable, { limit: 1 })).length === 0;
  });
}

/** The fault ended a connection, and the pool may hear of it only when it gives that one out again. */
const readAgain = (ground: WebhookGround) =>
  readHistoryForWebhooks(contextOf(ground)).catch(() => readHistoryForWebhooks(contextOf(ground)));

/** A change is told once. */
export function tellFlow(ground: WebhookGround): Flow {
  let known = 0;
  return {
    name: 'tell a webhook',
    async prepare() {
      known = (await messagesOf(ground)).length;
      await stopToken(ground);
    },
    run: () => endOfWork(() => readHistoryForWebhooks(contextOf(ground))),
    async again() {
      await readAgain(ground);
      const added = (await messagesOf(ground)).length - known;
      return added === 1 ? DONE : wrong(`${added} messages for one change`);
    },
  };
}

/** How many attempts could begin now: all of them where none is under way, and no look for the next one either. */
function freePlaces(ground: WebhookGround): number {
  const { places } = contextOf(ground).webhooks;
  const countFree = (lane: 'quick' | 'slow') => {
    let free = 0;
    while (places.take(lane)) free += 1;
    for (let given = 0; given < free; given += 1) places.giveBack(lane);
    return free;
  };
  return countFree('quick') + countFree('slow');
}

/** A message reaches its receiver under one id, how often it may be sent. */
export function sendFlow(ground: WebhookGround): Flow {
  const context = contextOf(ground);
  const { durable } = context.store;
  const all = freePlaces(ground);
  let id = '';
  const open = () =>
    durable.updateTable('webhook_deliveries').set({ next_at: 0 }).where('state', 'in', ['due', 'sending']);
  /** As time would: the claim of a failed attempt ends, and the receiver has rested. */
  async function deliverSoon(): Promise<void> {
    await open().execute();
    await durable.updateTable('webhooks').set({ rest_until: 0 }).execute();
    await ground.deliver();
  }
  const isDelivered = async () => (await messagesOf(ground))[0]?.state === 'delivered';
  return {
    name: 'send a message of a webhook',
    async prepare() {
      await durable.deleteFrom('webhook_deliveries').execute();
      await stopToken(ground);
      await readAgain(ground);
      id = (await messagesOf(ground))[0]?.id ?? '';
      ground.receiver.received.length = 0;
    },
    async run() {
      const end = await endOfWork(() => sendWebhooks(context));
      await until(() => freePlaces(ground) === all);
      return end;
    },
    async again() {
      await until(async () => {
        if (await isDelivered()) return true;
        await deliverSoon().catch(() => undefined);
        return isDelivered();
      });
      const ids = new Set(ground.receiver.received.map(({ headers }) => String(headers['webhook-id'])));
      return [...ids].join() === `msg_${id}` ? DONE : wrong(`its receiver got ${[...ids].join()}`);
    },
  };
}
