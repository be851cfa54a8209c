import { isName } from '../../text-rules.ts';
import { fieldOf, showAccount } from './account-page.ts';
import { changePassword } from './account-password.ts';
import type { SettingsRoutes } from '../desk.ts';
import { addEmailLinks } from '../email/email-link.ts';
import { cancelEmailRequest, createEmailRequests } from '../email/email-request.ts';
import { goTo, type Visit } from '../visit.ts';

/** POST …/account/name with `name`. `updateAccount` of the main API writes the same field. */
function changeName(visit: Visit): void {
  const name = fieldOf(visit, 'name').trim();
  if (!isName(name)) {
    const problems = {
      name: 'Enter a name of 1 to 100 characters that can be seen, on one line, with a letter, a digit or an emoji.',
    };
    return showAccount(visit, { status: 422, problems });
  }
  visit.parts.store.accounts.update(visit.account.id, { name });
  return goTo(visit, '/settings/account', 'name-changed');
}

/** The page /settings/account with its forms, and the pages of the mailed link. */
export function addAccount(desk: SettingsRoutes): void {
  const forms = {
    name: changeName,
    password: changePassword,
    email: createEmailRequests(),
    'email/cancel': cancelEmailRequest,
  };
  desk.get('/account', showAccount);
  for (const [name, action] of Object.entries(forms)) {
    desk.post(`/account/${name}`, action);
    // Serves a person who reloads the address of a refused form.
    desk.get(`/account/${name}`, (visit) => goTo(visit, '/settings/account'));
  }
  addEmailLinks(desk);
}
