import { show, type Visit } from '../visit.ts';

/** The fields of the forms on the account page. The names are also the ids of the fields. */
export type AccountField = 'name' | 'email' | 'email-password' | 'current-password' | 'new-password';

/** A refused form: the message for each wrong field, as the person reads the message. */
export interface AccountFormRefusal {
  status: 422 | 429 | 503;
  problems: Partial<Record<AccountField, string>>;
}

/** The text of the field as sent, or an empty string. */
export const fieldOf = ({ form }: Visit, name: AccountField): string => form[name] ?? '';

function organizationsOf({ parts, account }: Visit) {
  const { publishing } = parts.store;
  return publishing.organizationsOf(account.id).map(({ id, name }) => ({
    name,
    channelCount: publishing.channelsOf(id).length,
  }));
}

/** The whole account page. After a refusal the page shows the entered values again, but no passwords. */
export function showAccount(visit: Visit, refusal?: AccountFormRefusal): void {
  const { account, form, parts } = visit;
  const waitingEmail = parts.store.emailChanges.waitingFor(account.id);
  if (refusal) visit.res.status(refusal.status);
  show(visit, 'settings/account', {
    title: refusal ? 'Error: Account' : 'Account',
    organizations: organizationsOf(visit),
    waitingEmail,
    // Only the demo may show where the server keeps its mail files.
    mailDirectory: parts.demo && parts.mailer.directory,
    problems: refusal?.problems ?? {},
    values: { name: form.name ?? account.name ?? '', email: form['email'] ?? waitingEmail ?? '' },
  });
}
