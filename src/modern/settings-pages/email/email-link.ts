/**
 * The pages of the link that is sent to a new e-mail address. The link proves the address for any person who opens the
 * link, in any browser. The link signs nobody in.
 */
import type { SettingsRoutes } from '../desk.ts';
import { sendNotice } from './email-notice.ts';
import { changedMail } from './email-texts.ts';
import { goTo, type OpenVisit, show } from '../visit.ts';

/** Most visitors of these pages are not signed in. The pages show only the question. */
const FRAME = { navigation: [], signOut: undefined, narrow: true };

/** Mail scanners open links. Opening the link therefore changes nothing; only the button does. */
function showLink(visit: OpenVisit): void {
  const change = visit.parts.store.emailChanges.find(tokenOf(visit));
  if (!change) return showEnd(visit, 'gone');
  const title = 'Confirm your new address';
  return show(visit, 'settings/email-link', { ...FRAME, title, email: change.email });
}

const tokenOf = ({ req }: OpenVisit): string => String(req.params['token']);

const ENDS = {
  gone: {
    status: 410,
    title: 'This link does not work any more',
    text: 'It was used or cancelled, is older than 24 hours, a newer one was sent, or the password was changed. If your e-mail address has not changed yet, ask for a new link on your account page.',
  },
  taken: {
    status: 409,
    title: 'This address belongs to another account',
    text: 'Another account has taken it since the link was sent, so yours was not changed. Choose a different address on your account page.',
  },
  changed: {
    status: 200,
    title: 'Your address was changed',
    text: 'From now on sign in with the new address. Your password is the same, and your apps stay connected.',
  },
};

function showEnd(visit: OpenVisit, end: keyof typeof ENDS): void {
  const { status, ...words } = ENDS[end];
  visit.res.status(status);
  show(visit, 'settings/email-end', { ...FRAME, ...words });
}

async function confirm(visit: OpenVisit): Promise<void> {
  const outcome = visit.parts.store.emailChanges.confirm(tokenOf(visit));
  if (outcome.end !== 'changed') return showEnd(visit, outcome.end);
  await sendNotice(visit.parts, changedMail(outcome.from, outcome.to));
  return goTo(visit, '/settings/email/changed');
}

export function addEmailLinks(desk: SettingsRoutes): void {
  desk.openGet('/email/changed', (visit) => showEnd(visit, 'changed'));
  desk.openGet('/email/:token', showLink);
  desk.openPost('/email/:token', confirm);
}
