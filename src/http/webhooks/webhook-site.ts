import type { Request, RequestHandler } from 'express';
import { type WebhookEvent, WEBHOOK_EVENTS } from '../../domain/webhooks/events.ts';
import type { WebhookOwner } from '../../domain/webhooks/look-at-webhooks.ts';
import { PageError } from '../pages/page-error.ts';
import { EVENT_WORDS } from './words.ts';
import { readerOf } from '../site/reader.ts';

/** Whose webhooks a page shows, and where. The pages of owners and of support are the same beyond this. */
export interface WebhookSite {
  owner: WebhookOwner;
  /** The account that reads, of the webhooks of an app. A webhook is added only while it owns the app. */
  ownerId?: string;
  /** The address of the list. */
  base: string;
  /** The title of the list. */
  title: string;
  /** Whether the reader may send, and remove. */
  mayManage: boolean;
  /** Whether the reader may do what shows a secret: add a webhook, and make a new secret. */
  maySeeSecrets: boolean;
  /** What stands around each of the pages. */
  frameOf(): Promise<Record<string, unknown>>;
}

/** What a page or form needs its reader to be allowed. */
export type WebhookNeed = 'see' | 'manage' | 'secrets';

/** The addresses of one kind of site. */
export interface WebhookRoutes {
  /** The address of the list, with parameters. */
  pattern: string;
  /** Before each page and each form. */
  requires: RequestHandler[];
  /** @throws {PageError} the reader may not do what is needed */
  siteOf(req: Request, needed: WebhookNeed): Promise<WebhookSite>;
}

/** The events that a site offers, with those chosen that the form brought. */
export function eventChoices(
  { owner }: WebhookSite,
  chosen: readonly string[],
): Array<{ event: WebhookEvent; words: string; isChosen: boolean }> {
  return WEBHOOK_EVENTS[owner.kind].map((event) => {
    return { event, words: EVENT_WORDS[event], isChosen: chosen.includes(event) };
  });
}

/**
 * The address of a webhook for the reader of a page. Some receivers take the path for the secret, so who may only look sees
 * the host.
 */
export const addressFor = ({ mayManage }: WebhookSite, url: string): string =>
  mayManage ? url : new URL(url).host;

/** The actor of a change, for the history. */
export const personActor = (req: Request): string => readerOf(req).actor;

/** The answer for a webhook that is not there, or is somebody else's. */
export function noSuchWebhook(): PageError {
  return new PageError(404, 'There is no such webhook', {
    reason: 'It was removed, or the address is mistyped.',
    next: 'Open the list of webhooks again.',
  });
}
