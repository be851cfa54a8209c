import type { RequestHandler, Response } from 'express';
import { addWebhook, WEBHOOKS_MAX } from '../../domain/webhooks/change-webhooks.ts';
import { webhooksOf } from '../../domain/webhooks/look-at-webhooks.ts';
import { requestIdOf } from '../request-id.ts';
import { newIdField, readNewId } from '../site/new-id.ts';
import { fieldsOf, type PageShell } from '../site/page-shell.ts';
import { askAgain, type FormProblems } from '../site/problems.ts';
import {
  addressFor,
  personActor,
  eventChoices,
  type WebhookRoutes,
  type WebhookSite,
} from './webhook-site.ts';
import { addProblems, eventName } from './words.ts';
import { readerOf } from '../site/reader.ts';

/** The list of webhooks, and the form that adds one. */

interface ListInput {
  /** As the person typed it. */
  url?: string;
  chosen?: readonly string[];
  problems?: FormProblems;
}

async function show(
  frame: PageShell,
  res: Response,
  { site, url = '', chosen, problems = {} }: ListInput & { site: WebhookSite },
): Promise<void> {
  const webhooks = await webhooksOf(frame.context, site.owner);
  const choices = eventChoices(site, chosen ?? []);
  askAgain(frame, res, {
    template: 'webhooks',
    title: site.title,
    site,
    ...(await site.frameOf()),
    webhooks: webhooks.map(({ id, url: own, events, failures }) => ({
      id,
      failures,
      address: addressFor(site, own),
      names: events.split(' ').map(eventName),
    })),
    url,
    choices,
    most: WEBHOOKS_MAX,
    isFull: webhooks.length >= WEBHOOKS_MAX,
    newId: newIdField(frame.context, readerOf(res.req).id),
    problems,
  });
}

/** The page with a secret, which is shown in the answer to its form alone. */
export async function showSecret(
  frame: PageShell,
  res: Response,
  shown: { title: string; says: string; secret: string; href: string; site: WebhookSite },
): Promise<void> {
  frame.page(res, 'webhook-secret', { ...shown, ...(await shown.site.frameOf()) });
}

/** The answer to a form that was sent more than once. */
export function showKnown(frame: PageShell, res: Response, { base }: WebhookSite): void {
  frame.page(res, 'once', {
    title: 'The secret was made already',
    reason: 'The form was sent more than once. The secret was made the first time, and it was shown then.',
    next: 'If you did not copy it, open the webhook and make a new secret.',
    href: base,
    label: 'Webhooks',
  });
}

const OUT_OF_DATE = 'The form was out of date. Send it once more.';

function add(frame: PageShell, routes: WebhookRoutes): RequestHandler {
  return async (req, res) => {
    const site = await routes.siteOf(req, 'secrets');
    const fields = fieldsOf(req);
    const url = (fields['url'] ?? '').trim();
    const events = Object.keys(fields).filter((name) => fields[name] === 'on');
    const id = readNewId(frame.context, readerOf(req).id, fields['new_id']);
    const again = (problems: FormProblems) => show(frame, res, { site, url, chosen: events, problems });
    if (id === undefined) return again({ form: OUT_OF_DATE });
    const asked = {
      id,
      owner: site.owner,
      ownerId: site.ownerId,
      url,
      events,
      actor: personActor(req),
      requestId: requestIdOf(res),
    };
    const added = await addWebhook(frame.context, asked);
    if (added === 'known') return showKnown(frame, res, site);
    if (added === 'other owner') {
      // Says why to whoever owns the app no more.
      await routes.siteOf(req, 'secrets');
      return again({ form: OUT_OF_DATE });
    }
    if (typeof added === 'string') return again(addProblems(added));
    await showSecret(frame, res, {
      site,
      title: 'The secret of your webhook',
      says: 'Give it to your server, which checks with it that a message comes from us. Then send a test.',
      secret: added.secret,
      href: `${site.base}/${id}`,
    });
  };
}

/** The handlers of the list. */
export const listHandlers = (frame: PageShell, routes: WebhookRoutes) => ({
  show: (async (req, res) =>
    show(frame, res, { site: await routes.siteOf(req, 'see') })) satisfies RequestHandler as RequestHandler,
  add: add(frame, routes),
});
