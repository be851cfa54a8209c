import { show, type Visit } from '../visit.ts';

/** The fields of the page's forms, which are their ids as well. */
export type AccountField = 'name' | 'email' | 'email-password' | 'current-password' | 'new-password';

/** A form that was not taken: what is wrong with which field, as the person reads it. */
export interface Refusal {
  status: 422 | 429 | 503;
  problems: Partial<Record<AccountField, string>>;
}

/** The field's text as it was sent, or empty. */
export const fieldOf = ({ form }: Visit, name: AccountField): string => form[name] ?? '';

function organizationsOf({ parts, account }: Visit) {
  const { publishing } = parts.store;
  return publishing.organizationsOf(account.id).map(({ id, name }) => ({
    name,
    channelCount: publishing.channelsOf(id).length,
  }));
}

/** The whole account page; after a refusal with everything that was entered, passwords left out. */
export function showAccount(visit: Visit, refusal?: Refusal): void {
  const { account, form, parts } = visit;
  const waitingEmail = parts.store.emailChanges.waitingFor(account.id);
  if (refusal) visit.res.status(refusal.status);
  show(visit, 'settings/account', {
    title: refusal ? 'Error: Account' : 'Account',
    organizations: organizationsOf(visit),
    waitingEmail,
    // Elsewhere where the server keeps its files is nobody's business.
    mailDirectory: parts.demo && parts.mailer.directory,
    problems: refusal?.problems ?? {},
    values: { name: form.name ?? account.name ?? '', email: form['email'] ?? waitingEmail ?? '' },
  });
}
