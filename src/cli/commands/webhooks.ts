import { whereRefusedLeads } from '../../domain/webhooks/address.ts';
import { addWebhook, changeWebhookSecret, removeWebhook } from '../../domain/webhooks/change-webhooks.ts';
import { WEBHOOK_EVENTS } from '../../domain/webhooks/events.ts';
import {
  sendMessageAgain,
  sendTest,
  viewWebhook,
  type WebhookDelivery,
  webhooksOf,
} from '../../domain/webhooks/look-at-webhooks.ts';
import { newHexId } from '../../shared/ids.ts';
import { commandActor } from './by-option.ts';
import { shown } from './dates/moment-option.ts';
import type { Result } from './result.ts';
import { withContext } from './with-context.ts';

/** `webhooks`: the webhooks of the operator. The delivery is that of all webhooks (docs/webhooks.md). */

type Options = Record<string, unknown>;

const OWNER = { kind: 'operator', clientId: null } as const;

const originOf = (options: Options) => ({ actor: commandActor(options), requestId: null });

/** Why a webhook is not added, in words. */
const REFUSALS = {
  malformed: 'this is no address. Give one such as https://example.com/hooks',
  'not https': 'the address must begin with https://',
  'with a secret':
    'the address must hold no user, no question mark, no # and nothing that looks like a secret',
  'not public':
    'the address does not lead to a server on the public internet. WEBHOOK_ALLOW_NETWORKS allows networks inside',
  'no event': 'choose at least one event',
  full: 'there are five webhooks already, the most there can be. Remove one first',
  known: 'this webhook is there already',
  'other owner': 'the app belongs to another account',
} as const;

const NO_ANSWER =
  'the name servers of this machine gave no answer for the name of the address, or gave it too late. Nothing was added. Give the command again; if this comes again, check the name servers';

/** It would not help to allow a network for a name that nobody knows, nor where no name server answered. */
const LOOKED_UP = {
  inside: REFUSALS['not public'],
  unknown:
    'the name of the address cannot be looked up. Check it; the name servers of this machine are asked for it, and /etc/hosts does not count',
  'no answer': NO_ANSWER,
  // The second look-up got what the first one did not.
  public: NO_ANSWER,
} as const;

async function refusalOf(
  context: Parameters<typeof whereRefusedLeads>[0],
  refused: keyof typeof REFUSALS,
  url: string,
): Promise<Error> {
  if (refused !== 'not public') return new Error(REFUSALS[refused]);
  return new Error(LOOKED_UP[await whereRefusedLeads(context, url)]);
}

const unknown = (id: string) => new Error(`no webhook of the operator has the id ${id}: see webhooks list`);

const done = (line: string, id: string): Result => ({ ok: true, lines: [line], json: { webhook_id: id } });

function secretResult(id: string, secret: string): Result {
  const json = { webhook_id: id, secret };
  const lines = Object.entries(json).map(([name, value]) => `${name}: ${value}`);
  return { ok: true, lines: [...lines, 'The secret is shown only this once.'], json };
}

/** `webhooks add URL`: adds one and prints its secret. */
export async function addWebhookCommand(options: Options, [url = '']: string[]): Promise<Result> {
  const origin = originOf(options);
  const events = (options['event'] as string[] | undefined) ?? WEBHOOK_EVENTS.operator;
  return withContext(async ({ context }) => {
    const id = newHexId();
    const added = await addWebhook(context, { id, owner: OWNER, url, events, ...origin });
    if (typeof added === 'string') throw await refusalOf(context, added, url);
    return secretResult(id, added.secret);
  });
}

/** `webhooks list`: every webhook of the operator. */
export async function listWebhooksCommand(): Promise<Result> {
  return withContext(async ({ context }) => {
    const webhooks = (await webhooksOf(context, OWNER)).map(({ id, url, events, failures }) => {
      return { webhook_id: id, url, events: events.split(' '), failures };
    });
    const lines = webhooks.map(({ webhook_id: id, url, events, failures }) => {
      const fails = failures > 0 ? `  ${failures} attempts in a row failed` : '';
      return `${id}  ${url}  ${events.join(', ')}${fails}`;
    });
    const none = 'There is no webhook yet. To add one: grantbridge webhooks add URL';
    const rows = webhooks.map((one) => [
      one.webhook_id,
      one.url,
      one.events.join(', '),
      String(one.failures),
    ]);
    const table = { head: ['WEBHOOK', 'ADDRESS', 'EVENTS', 'FAILED IN A ROW'], rows };
    return { ok: true, lines: lines.length > 0 ? lines : [none], table, json: { webhooks } };
  });
}

const messageOf = ({ id, event, state, attempts, status, failure, created_at: at }: WebhookDelivery) => {
  return { message_id: id, event, state, attempts, status, failure, made_at: shown(at) };
};

/** `webhooks show ID`: its last messages; those that were given up first. */
export async function showWebhook(_options: Options, [id = '']: string[]): Promise<Result> {
  return withContext(async ({ context }) => {
    const view = await viewWebhook(context, { id, owner: OWNER });
    if (!view) throw unknown(id);
    const others = view.last.filter(({ state }) => state !== 'dead');
    const messages = [...view.dead, ...others].map(messageOf);
    const lines = messages.map(({ message_id, made_at, event, state, attempts, failure, status }) => {
      const why = failure === null ? '' : `  ${failure}${status === null ? '' : ` (${status})`}`;
      return `${message_id}  ${made_at}  ${event}  ${state}, attempts: ${attempts}${why}`;
    });
    const none = 'No message was sent yet.';
    const rows = messages.map((one) => {
      const outcome = [one.failure ?? '', one.status ?? ''].join(' ').trim();
      return [one.message_id, one.made_at, one.event, one.state, String(one.attempts), outcome];
    });
    const table = { head: ['MESSAGE', 'MADE', 'EVENT', 'STATE', 'ATTEMPTS', 'OUTCOME'], rows };
    return { ok: true, lines: lines.length > 0 ? lines : [none], table, json: { webhook_id: id, messages } };
  });
}

/** `webhooks test ID`: a running bridge sends it. */
export async function testWebhook(_options: Options, [id = '']: string[]): Promise<Result> {
  return withContext(async ({ context }) => {
    const sent = await sendTest(context, { id, owner: OWNER });
    if (sent === undefined) throw unknown(id);
    const line =
      sent === 'sent' ? 'A bridge that runs sends a test within seconds.' : 'A test is on its way already.';
    return done(`${line} See what became of it: grantbridge webhooks show ${id}`, id);
  });
}

/** `webhooks send-again ID MESSAGE`. */
export async function sendAgainCommand(_options: Options, [id = '', given = '']: string[]): Promise<Result> {
  const deliveryId = given.replace(/^msg_/, '');
  return withContext(async ({ context }) => {
    const isSent = await sendMessageAgain(context, { id, owner: OWNER, deliveryId });
    if (!isSent) throw new Error('this webhook has no such message that was given up: see webhooks show');
    return done('A bridge that runs sends the message within seconds.', id);
  });
}

/** `webhooks change-secret ID`: prints the new secret. */
export async function changeSecretCommand(options: Options, [id = '']: string[]): Promise<Result> {
  const origin = originOf(options);
  return withContext(async ({ context }) => {
    const asked = { id, owner: OWNER, secretId: newHexId(), ...origin };
    const changed = await changeWebhookSecret(context, asked);
    if (typeof changed !== 'object') throw unknown(id);
    return secretResult(id, changed.secret);
  });
}

/** `webhooks remove ID`. */
export async function removeWebhookCommand(options: Options, [id = '']: string[]): Promise<Result> {
  const origin = originOf(options);
  return withContext(async ({ context }) => {
    if (!(await removeWebhook(context, { id, owner: OWNER, ...origin }))) throw unknown(id);
    return done('The webhook is removed.', id);
  });
}
