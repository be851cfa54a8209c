import type { RequestHandler, Response, Router } from 'express';
import { addSecret, type AppSecret, retireSecret, secretsOf } from '../../../domain/apps/app-secrets.ts';
import { PageError } from '../../pages/page-error.ts';
import { fieldsOf, type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { newIdField, readNewId } from '../../site/new-id.ts';
import { underHead } from '../head/app-head.ts';
import { type AppForOwner, noAppOfYours, ownedApp, ownerOrigin, type SeenApp } from '../owned-app.ts';
import { askAgain } from '../../site/problems.ts';
import { readerOf } from '../../site/reader.ts';

/**
 * /apps/:clientId/secrets: an app may have two secrets while it changes over. A new secret is shown in the answer to
 * its form alone.
 */

interface ListedSecret extends AppSecret {
  /** The older or the newer of two secrets, or the only secret. */
  age: 'older' | 'newer' | 'only';
}

async function listed(frame: PageShell, { client_id: clientId }: AppForOwner): Promise<ListedSecret[]> {
  const secrets = await secretsOf(frame.context, clientId);
  const ages = secrets.length > 1 ? (['older', 'newer'] as const) : (['only'] as const);
  return secrets.map((secret, place) => ({ ...secret, age: ages[place] ?? 'newer' }));
}

async function show(frame: PageShell, res: Response, { seen, problem }: { seen: SeenApp; problem?: string }) {
  askAgain(frame, res, {
    template: 'secrets',
    title: `Secrets of “${seen.app.name}”`,
    ...(await underHead(frame.context, seen, 'secrets')),
    secrets: await listed(frame, seen.app),
    newId: newIdField(frame.context, readerOf(res.req).id),
    problems: problem === undefined ? {} : { form: problem },
  });
}

const FULL = 'Two secrets are the most there can be. Retire one of them first.';

function showKnown(frame: PageShell, res: Response, { client_id: clientId }: AppForOwner): void {
  frame.page(res, 'once', {
    title: 'The secret was made already',
    reason: 'The form was sent more than once. The secret was made the first time, and it was shown then.',
    next: 'If you did not copy it, retire the newer secret and make another one.',
    href: `/apps/${clientId}/secrets`,
    label: 'Secrets of the app',
  });
}

function makeSecret(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const seen = await ownedApp(frame.context, req);
    const { app } = seen;
    const id = readNewId(frame.context, readerOf(req).id, fieldsOf(req)['new_id']);
    if (id === undefined)
      return show(frame, res, { seen, problem: 'The form was out of date. Send it once more.' });
    const { accountId: ownerId } = signedInPerson(req);
    const asked = { clientId: app.client_id, ownerId, ...ownerOrigin(res), id };
    const added = await addSecret(frame.context, asked);
    if (added === 'other owner') throw noAppOfYours();
    if (added === 'known') return showKnown(frame, res, app);
    if (typeof added === 'string') return show(frame, res, { seen, problem: FULL });
    const head = await underHead(frame.context, seen, 'secrets');
    frame.page(res, 'secret-added', { title: 'Your new client secret', ...head, secret: added.secret });
  };
}

function noSuchSecret(): PageError {
  return new PageError(404, 'There is no such secret', {
    reason: 'It was retired already, or the address is mistyped.',
    next: 'Open the secrets of the app again.',
  });
}

function askToRetire(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const seen = await ownedApp(frame.context, req);
    const { app } = seen;
    const secret = (await listed(frame, app)).find(({ id }) => id === req.params['secretId']);
    if (!secret) throw noSuchSecret();
    if (secret.age === 'only') return res.redirect(303, `/apps/${app.client_id}/secrets`);
    const head = await underHead(frame.context, seen, 'secrets');
    frame.page(res, 'secret-retire', { title: `Retire the ${secret.age} secret?`, ...head, secret });
  };
}

const LAST = 'This is the only secret. Make a new one first, or the app could not sign in any more.';

function retire(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const seen = await ownedApp(frame.context, req);
    const { app } = seen;
    const id = String(req.params['secretId']);
    const retired = await retireSecret(frame.context, {
      clientId: app.client_id,
      ...ownerOrigin(res),
      id,
    });
    if (retired === 'unknown') throw noSuchSecret();
    if (retired === 'last') return show(frame, res, { seen, problem: LAST });
    const href = `/apps/${app.client_id}/secrets`;
    leaveWith(frame.context, res, { href, notice: 'secret-retired' });
  };
}

/** Adds the pages for rotating an app's secret. */
export function secretRoutes(router: Router, frame: PageShell): void {
  const showSecrets: RequestHandler = async (req, res) =>
    show(frame, res, { seen: await ownedApp(frame.context, req) });
  router.get('/apps/:clientId/secrets', frame.requirePerson, showSecrets);
  router.post('/apps/:clientId/secrets', makeSecret(frame));
  router.get('/apps/:clientId/secrets/:secretId/retire', frame.requirePerson, askToRetire(frame));
  router.post('/apps/:clientId/secrets/:secretId/retire', retire(frame));
}
