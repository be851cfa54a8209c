import type { Request, RequestHandler, Response } from 'express';
import { changeWebhookSecret, removeWebhook } from '../../domain/webhooks/change-webhooks.ts';
import { sendMessageAgain, sendTest, viewWebhook } from '../../domain/webhooks/look-at-webhooks.ts';
import { leaveWith } from '../pages/flash-notice.ts';
import { requestIdOf } from '../request-id.ts';
import { newIdField, readNewId } from '../site/new-id.ts';
import { fieldsOf, type PageShell } from '../site/page-shell.ts';
import { showKnown, showSecret } from './list-page.ts';
import { shownMessage } from './shown-message.ts';
import {
  addressFor,
  personActor,
  noSuchWebhook,
  type WebhookRoutes,
  type WebhookSite,
} from './webhook-site.ts';
import { eventName } from './words.ts';
import { readerOf } from '../site/reader.ts';

/** One webhook: its messages, and what a person may do with it. */

const idOf = (req: Request) => String(req.params['webhookId']);

function show(frame: PageShell, routes: WebhookRoutes): RequestHandler {
  return async (req, res) => {
    const site = await routes.siteOf(req, 'see');
    const view = await viewWebhook(frame.context, { id: idOf(req), owner: site.owner });
    if (!view) throw noSuchWebhook();
    const { webhook, counts } = view;
    const now = frame.context.clock.now();
    frame.page(res, 'webhook', {
      title: `Webhook to ${new URL(webhook.url).host}`,
      site,
      ...(await site.frameOf()),
      webhook,
      address: addressFor(site, webhook.url),
      names: webhook.events.split(' ').map(eventName),
      counts,
      open: (counts.due ?? 0) + (counts.sending ?? 0),
      restsUntil: webhook.rest_until > now ? webhook.rest_until : undefined,
      last: view.last.map(shownMessage),
      dead: view.dead.map(shownMessage),
      newId: newIdField(frame.context, readerOf(req).id),
    });
  };
}

/** What a form does to a webhook; the name of the notice that the page shows afterwards. */
type WebhookAct = (req: Request, res: Response, site: WebhookSite) => Promise<string>;

function acting(frame: PageShell, routes: WebhookRoutes, act: WebhookAct): RequestHandler {
  return async (req, res) => {
    const site = await routes.siteOf(req, 'manage');
    const notice = await act(req, res, site);
    const href = notice === 'webhook-removed' ? site.base : `${site.base}/${idOf(req)}`;
    leaveWith(frame.context, res, { href, notice });
  };
}

function actsOf({ context }: PageShell): Record<'test' | 'again' | 'remove', WebhookAct> {
  return {
    async test(req, _res, { owner }) {
      const sent = await sendTest(context, { id: idOf(req), owner });
      if (sent === undefined) throw noSuchWebhook();
      return sent === 'sent' ? 'webhook-test' : 'webhook-test-waits';
    },
    async again(req, _res, { owner }) {
      const deliveryId = fieldsOf(req)['message'] ?? '';
      const isSent = await sendMessageAgain(context, { id: idOf(req), owner, deliveryId });
      return isSent ? 'webhook-again' : 'webhook-not-again';
    },
    async remove(req, res, { owner }) {
      const asked = { id: idOf(req), owner, actor: personActor(req), requestId: requestIdOf(res) };
      if (!(await removeWebhook(context, asked))) throw noSuchWebhook();
      return 'webhook-removed';
    },
  };
}

function changeSecret(frame: PageShell, routes: WebhookRoutes): RequestHandler {
  return async (req, res) => {
    const site = await routes.siteOf(req, 'secrets');
    const [id, href] = [idOf(req), `${site.base}/${idOf(req)}`];
    const secretId = readNewId(frame.context, readerOf(req).id, fieldsOf(req)['new_id']);
    if (secretId === undefined) return res.redirect(303, href);
    const asked = { id, owner: site.owner, actor: personActor(req), requestId: requestIdOf(res), secretId };
    const changed = await changeWebhookSecret(frame.context, asked);
    if (!changed) throw noSuchWebhook();
    if (changed === 'known') return showKnown(frame, res, site);
    await showSecret(frame, res, {
      site,
      title: 'The new secret of your webhook',
      says: 'For 24 hours messages are signed with the former secret too. Give your server the new one within that time.',
      secret: changed.secret,
      href,
    });
  };
}

/** The handlers of one webhook. */
export function webhookHandlers(frame: PageShell, routes: WebhookRoutes) {
  const acts = actsOf(frame);
  return {
    show: show(frame, routes),
    test: acting(frame, routes, acts.test),
    again: acting(frame, routes, acts.again),
    remove: acting(frame, routes, acts.remove),
    changeSecret: changeSecret(frame, routes),
  };
}
