import type { Request, RequestHandler, Response, Router } from 'express';
import {
  type ContactAccess,
  type ContactRow,
  contactsWithAccess,
  giveAccess,
  lostAddress,
  mayManage,
  OWNER_SHARES_MAX,
  takeAccess,
} from '../../../domain/apps/app-access.ts';
import { addContact, CONTACTS_MAX, removeContact } from '../../../domain/apps/app-contacts.ts';
import { fieldsOf, type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { askAgain, type FormProblems, quoted } from '../../site/problems.ts';
import { underHead } from '../head/app-head.ts';
import { type AppForOwner, managedApp, ownedApp, ownerOrigin, seenApp, type SeenApp } from '../owned-app.ts';
import { ACCESS_CHOICES, ACCESS_WORDS, readAccess } from './access-words.ts';

/**
 * /apps/:clientId/contacts: who receives the mails about the app that cannot be delivered to its owner, and who of them sees
 * its pages. Only the owner gives the pages and takes them away.
 */

/** Why a contact with access sees nothing of the app; undefined where it does. */
function whyBlind({ access, address, account_id: accountId, account_email: email }: ContactRow) {
  if (access === null) return undefined;
  if (accountId === null) return 'Has not shown yet that the address is theirs.';
  if (email === null) return 'The account that it was given to has not signed in here yet.';
  return lostAddress(email, address)
    ? 'The account that had the address has another one now, so it sees nothing. Whoever has the address now can show it anew.'
    : undefined;
}

interface ContactsPageInput {
  seen: SeenApp;
  /** The address as the person typed it. */
  address?: string;
  problems?: FormProblems;
}

async function show(
  frame: PageShell,
  res: Response,
  { seen, address = '', problems = {} }: ContactsPageInput,
) {
  const { app, access } = seen;
  const contacts = await contactsWithAccess(frame.context, app.client_id);
  askAgain(frame, res, {
    template: 'contacts',
    title: `Contacts of “${app.name}”`,
    ...(await underHead(frame.context, seen, 'contacts')),
    address,
    contacts: contacts.map((one) => ({
      address: one.address,
      access: one.access ?? 'none',
      may: ACCESS_WORDS[one.access ?? 'none'],
      blind: whyBlind(one),
      mayRemove: mayManage(access) && (one.access === null || access === 'owner'),
    })),
    choices: ACCESS_CHOICES,
    mayManage: mayManage(access),
    mayGive: access === 'owner',
    appsUrl: `${frame.context.settings.publicUrl}/apps`,
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
  const address = (fieldsOf(req)['address'] ?? '').trim();
  return { clientId: app.client_id, address, ...ownerOrigin(res) };
}

const hrefOf = ({ client_id: clientId }: AppForOwner) => `/apps/${clientId}/contacts`;

function add(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const seen = await managedApp(frame.context, req);
    const change = changeOf(seen.app, req, res);
    const outcome = await addContact(frame.context, change);
    if (outcome === 'added')
      return leaveWith(frame.context, res, { href: hrefOf(seen.app), notice: 'contact-added' });
    const { address } = change;
    await show(frame, res, { seen, address, problems: problemsOf(outcome, address) });
  };
}

const STAYS: FormProblems = {
  form: 'This contact sees the pages of the app, so only the owner of the app may remove it. Nothing was changed.',
};

function remove(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const seen = await managedApp(frame.context, req);
    const change = { ...changeOf(seen.app, req, res), mayTakeAccess: seen.access === 'owner' };
    const outcome = await removeContact(frame.context, change);
    const href = hrefOf(seen.app);
    if (outcome === 'removed') return leaveWith(frame.context, res, { href, notice: 'contact-removed' });
    if (outcome === 'unknown') return res.redirect(303, href);
    await show(frame, res.status(403), { seen, problems: STAYS });
  };
}

/** Why the pages were not given, in words. */
const NOT_GIVEN: Readonly<Record<'malformed' | 'left' | 'too many', (page: string) => string>> = {
  malformed: () => 'The pages of an app can be given to a mail address alone, and this contact is none.',
  left: (page) =>
    `This person left the app, so it cannot be shared with them. They can allow it again at ${page}, signed in.`,
  'too many': () =>
    `You share ${OWNER_SHARES_MAX} apps with this address, or shared them until the person left. That is the most.`,
};

/** Gives the pages, changes what the contact may do, or takes the pages away; the name of the notice. */
async function applyAccess(
  { context }: PageShell,
  { owner, ...asked }: ReturnType<typeof changeOf> & { owner: string },
  access: ContactAccess | 'none',
): Promise<'access-given' | 'access-taken' | 'unchanged' | keyof typeof NOT_GIVEN> {
  if (access === 'none') return (await takeAccess(context, asked)) ? 'access-taken' : 'unchanged';
  const outcome = await giveAccess(context, { ...asked, access, owner });
  return outcome === 'given' ? 'access-given' : outcome;
}

function changeAccess(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const seen = await ownedApp(frame.context, req);
    const href = hrefOf(seen.app);
    const access = readAccess(fieldsOf(req)['access']);
    if (access === undefined) return res.redirect(303, href);
    const owner = signedInPerson(req).accountId;
    const outcome = await applyAccess(frame, { ...changeOf(seen.app, req, res), owner }, access);
    if (outcome === 'unchanged') return res.redirect(303, href);
    if (outcome === 'access-given' || outcome === 'access-taken')
      return leaveWith(frame.context, res, { href, notice: outcome });
    const { publicUrl } = frame.context.settings;
    const form = NOT_GIVEN[outcome](`${publicUrl}/apps/${seen.app.client_id}/shared`);
    await show(frame, res, { seen, problems: { form: `${form} Nothing was changed.` } });
  };
}

/** Adds /apps/:clientId/contacts. */
export function contactsRoutes(router: Router, frame: PageShell): void {
  const showContacts: RequestHandler = async (req, res) =>
    show(frame, res, { seen: await seenApp(frame.context, req) });
  router.get('/apps/:clientId/contacts', frame.requirePerson, showContacts);
  router.post('/apps/:clientId/contacts', add(frame));
  router.post('/apps/:clientId/contacts/remove', remove(frame));
  router.post('/apps/:clientId/contacts/access', changeAccess(frame));
}
