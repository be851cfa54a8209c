import { ATTEMPTS_MAX } from '../../domain/webhooks/pauses.ts';
import type { WebhookDelivery } from '../../domain/webhooks/look-at-webhooks.ts';
import { eventName } from './words.ts';

/** A message to a webhook as a row of a table. */

export interface ShownMessage {
  id: string;
  name: string;
  madeAt: number;
  attempts: number;
  badge: { text: string; kind: 'ok' | 'warning' | '' };
  /** Why the last attempt failed. */
  failure: string | undefined;
  /** When the next attempt comes. */
  nextAt: number | undefined;
  isDead: boolean;
}

const BADGES: Readonly<Record<WebhookDelivery['state'], ShownMessage['badge']>> = {
  due: { text: 'On its way', kind: '' },
  sending: { text: 'On its way', kind: '' },
  delivered: { text: 'Delivered', kind: 'ok' },
  dead: { text: 'Given up', kind: 'warning' },
};

function failureOf({ status, failure }: WebhookDelivery): string | undefined {
  if (failure === null) return undefined;
  return status === null ? failure : `${failure} (${status})`;
}

/** The row of a message. */
export function shownMessage(row: WebhookDelivery): ShownMessage {
  const comesAgain = row.state === 'due' && row.attempts > 0;
  return {
    id: row.id,
    name: eventName(row.event),
    madeAt: row.created_at,
    attempts: Math.min(row.attempts, ATTEMPTS_MAX),
    badge: comesAgain ? { text: 'Comes again', kind: 'warning' } : BADGES[row.state],
    failure: failureOf(row),
    nextAt: comesAgain ? row.next_at : undefined,
    isDead: row.state === 'dead',
  };
}
