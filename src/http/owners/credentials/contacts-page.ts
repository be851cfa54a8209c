import type { Request, RequestHandler, Response, Router } from 'express';
import { addContact, appContacts, CONTACTS_MAX, removeContact } from '../../../domain/apps/app-contacts.ts';
import { requestIdOf } from '../../request-id.ts';
import { fieldsOf, type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { askAgain, type FormProblems, quoted } from '../../site/problems.ts';
import { type AppForOwner, ownedApp } from '../owned-app.ts';

/** /apps/:clientId/contacts: who receives mails about the app, besides its owner. */

interface ContactsPageInput {
  app: AppForOwner;
  /** The address as the person typed it. */
  address?: string;
  problems?: FormProblems;
}

async function show(
  frame: PageShell,
  res: Response,
  { app, address = '', problems = {} }: ContactsPageInput,
) {
  const contacts = await appContacts(frame.context, app.client_id);
  askAgain(frame, res, {
    template: 'contacts',
    title: `Contacts of “${app.name}”`,
    app,
    address,
    contacts,
    most: CONTACTS_MAX,
    isFull: contacts.length >= CONTACTS_MAX,
    problems,
  });
}

function problemsOf(refused: 'known' | 'full' | 'malformed', address: string): FormProblems {
  if (refused === 'full')
    return { form: `An app has at most ${CONTACTS_MAX} contacts. Remove one first, then add this one.` };
  if (address === '') return { address: 'Enter a mail address such as dev@example.com.' };
  return {
    address:
      refused === 'known'
        ? `${quoted(address)} is a contact already.`
        : `${quoted(address)} must be one mail address such as dev@example.com.`,
  };
}

function changeOf(app: AppForOwner, req: Request, res: Response) {
  const actor = `account:${signedInPerson(req).accountId}`;
  const address = (fieldsOf(req)['address'] ?? '').trim();
  return { clientId: app.client_id, address, actor, requestId: requestIdOf(res) };
}

function add(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const app = await ownedApp(frame.context, req);
    const change = changeOf(app, req, res);
    const outcome = await addContact(frame.context, change);
    const href = `/apps/${app.client_id}/contacts`;
    if (outcome === 'added') return leaveWith(frame.context, res, { href, notice: 'contact-added' });
    const { address } = change;
    await show(frame, res, { app, address, problems: problemsOf(outcome, address) });
  };
}

function remove(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const app = await ownedApp(frame.context, req);
    const isRemoved = await removeContact(frame.context, changeOf(app, req, res));
    const href = `/apps/${app.client_id}/contacts`;
    if (isRemoved) return leaveWith(frame.context, res, { href, notice: 'contact-removed' });
    res.redirect(303, href);
  };
}

/** Adds /apps/:clientId/contacts. */
export function contactsRoutes(router: Router, frame: PageShell): void {
  const showContacts: RequestHandler = async (req, res) =>
    show(frame, res, { app: await ownedApp(frame.context, req) });
  router.get('/apps/:clientId/contacts', frame.requirePerson, showContacts);
  router.post('/apps/:clientId/contacts', add(frame));
  router.post('/apps/:clientId/contacts/remove', remove(frame));
}
