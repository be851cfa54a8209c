import type { AddressProblem } from '../../domain/webhooks/address.ts';
import { WEBHOOKS_MAX, type AddedWebhook } from '../../domain/webhooks/change-webhooks.ts';
import type { MessageEvent, WebhookEvent } from '../../domain/webhooks/events.ts';
import type { FormProblems } from '../site/problems.ts';

/** Webhooks in words. */

/** The events, as a person chooses them. */
export const EVENT_WORDS: Readonly<Record<WebhookEvent, string>> = {
  'token.stopped':
    'A token of the app stopped: its connection ended, it was revoked, or what it worked by was taken back',
  'token.resumed':
    'A token of the app works or waits again: it was connected, or what stopped it was taken back',
  'date.moved': 'A date moved: the retirement or the sunset of the old API, or more time for this app',
  'calls.quiet': 'The last old call of the app was seven days ago',
  'queues.daily': 'The counts of all desks, once a day',
  'queues.hourly': 'The counts of all desks, once an hour',
  'connection.ended': 'A connection ended',
  'consent.finished': 'A person connected an app',
  'token.leaked': 'A token was reported as leaked',
};

/** The name of an event in a list of messages. */
const SHORT: Readonly<Record<MessageEvent, string>> = {
  'token.stopped': 'Token stopped',
  'token.resumed': 'Token works or waits',
  'date.moved': 'Date moved',
  'calls.quiet': 'Seven days without a call',
  'queues.daily': 'Counts of the day',
  'queues.hourly': 'Counts of the hour',
  'connection.ended': 'Connection ended',
  'consent.finished': 'App connected',
  'token.leaked': 'Token leaked',
  test: 'Test',
};

/** A name that a later version wrote stands as it is. */
export function eventName(event: string): string {
  return Object.hasOwn(SHORT, event) ? SHORT[event as MessageEvent] : event;
}

const ADDRESS_PROBLEMS: Readonly<Record<AddressProblem, string>> = {
  malformed: 'Enter an address such as https://example.com/hooks/old-api.',
  'not https': 'The address must begin with https://.',
  'with a secret':
    'The address must hold no user, no question mark, no # and nothing that looks like a secret. Your server knows us by the signature.',
  'not public':
    'The address does not lead to a server on the public internet. Check the name, and try again in a minute if the name is new.',
};

/** What is wrong with the form, by field. */
export function addProblems(
  refused: Exclude<AddedWebhook, { secret: string } | 'known' | 'other owner'>,
): FormProblems {
  if (refused === 'full')
    return { form: `There are ${WEBHOOKS_MAX} webhooks, the most there can be. Remove one first.` };
  if (refused === 'no event') return { events: 'Choose at least one thing to be told of.' };
  return { url: ADDRESS_PROBLEMS[refused] };
}
