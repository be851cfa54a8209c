import { createHmac } from 'node:crypto';
import { addWebhook } from '../../../src/domain/webhooks/change-webhooks.ts';
import { readHistoryForWebhooks } from '../../../src/domain/webhooks/read-history.ts';
import { tellByTime } from '../../../src/domain/webhooks/told-by-time.ts';
import { sealHistory } from '../../../src/domain/history/seal-history.ts';
import { sendWebhooks } from '../../../src/domain/webhooks/deliver.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { listUnchained } from '../../../src/store/history/events.ts';
import type { WebhookOwner } from '../../../src/store/webhooks/webhooks.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System, type SystemOptions } from '../../support/bridge/system.ts';
import { until } from '../../support/servers/held-answer.ts';
import { holdJobs } from '../../support/bridge/hold-jobs.ts';
import { type NameServer, startNameServer } from './name-server.ts';
import { type ReceivedMessage, type Receiver, startReceiver, withStatus } from './receiver.ts';

/** A bridge whose webhooks may lead to this machine, a receiver there, and a name server that leads to it. */
export interface WebhookGround {
  system: System;
  clock: SettableClock;
  receiver: Receiver;
  names: NameServer;
  /** The address of the receiver under a name. */
  urlOf(path: string, host?: string): string;
  /** Adds a webhook as a person does by the page; the id and the secret. */
  add(url: string, events?: readonly string[], owner?: WebhookOwner): Promise<{ id: string; secret: string }>;
  /** Makes the messages of what has happened. */
  tell(): Promise<void>;
  /** Sends what is due, and waits until no attempt is under way. */
  deliver(): Promise<void>;
  /** What the receiver was told. */
  messages(): Told[];
  /** Makes and sends the messages of what has happened; what the receiver was told. */
  told(): Promise<Told[]>;
  /** Removes every webhook, and what the receiver has. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

/** The body of a message. */
interface Told {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

const ORIGIN = { actor: 'account:test', requestId: null };

/** An attempt ends by itself after ten seconds. Whoever waits for its end has to wait longer. */
const ATTEMPT_AT_MOST = 60_000;

const JOBS = ['send-webhooks', 'read-history-for-webhooks', 'tell-webhooks-by-time'];

export async function openWebhookGround(options: SystemOptions = {}): Promise<WebhookGround> {
  const clock = new SettableClock();
  const receiver = await startReceiver();
  const names = await startNameServer({ 'hooks.example': ['127.0.0.1'], 'two.example': ['127.0.0.1'] });
  const env = { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', ...options.env };
  const system = await startSystem({ clock, webhookAuthority: receiver.authority, ...options, env });
  const { context } = system.bridge;
  const release = await holdJobs(context, JOBS);
  const urlOf = (path: string, host = 'hooks.example') => `https://${host}:${receiver.port}${path}`;
  const isIdle = async () => {
    const rows = await context.store.durable
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('state', '=', 'sending')
      .execute();
    return rows.length === 0;
  };
  /** The bridge chains by itself too, and one chains at a time. */
  const isChained = async () => {
    await sealHistory(context);
    return (await listUnchained(context.store.durable, { limit: 1 })).length === 0;
  };
  async function tell(): Promise<void> {
    await until(isChained, 30_000);
    await readHistoryForWebhooks(context);
    await tellByTime(context);
  }
  async function deliver(): Promise<void> {
    await sendWebhooks(context);
    await until(isIdle, ATTEMPT_AT_MOST);
  }
  const messages = () => receiver.received.map(({ body }) => JSON.parse(body) as Told);
  return {
    system,
    clock,
    receiver,
    names,
    urlOf,
    tell,
    deliver,
    messages,
    async told() {
      await tell();
      // A receiver has one message under way at a time.
      for (let turn = 0; turn < 6; turn += 1) await deliver();
      return messages();
    },
    async add(url, events = ['token.stopped'], owner = { kind: 'app', clientId: system.app.clientId }) {
      const id = newHexId();
      const added = await addWebhook(context, { id, owner, url, events, ...ORIGIN });
      if (typeof added === 'string') throw new Error(`the webhook was refused: ${added}`);
      return { id, secret: added.secret };
    },
    async forget() {
      for (const table of ['webhook_deliveries', 'webhook_secrets', 'webhooks'] as const)
        await context.store.durable.deleteFrom(table).execute();
      receiver.received.length = 0;
      receiver.answer = withStatus(204);
    },
    async stop() {
      release();
      await system.stop();
      await names.close();
      await receiver.close();
    },
  };
}

/** The signatures of a message that are right under a secret, made as the specification says and without our code. */
export function rightSignatures({ headers, body }: ReceivedMessage, secret: string): number {
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((one) => one === expected).length;
}
