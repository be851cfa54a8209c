import type { ContactAccess } from '../../../domain/apps/app-access.ts';

/** What a contact may do on the pages of an app, in words. */

type AccessChoice = ContactAccess | 'none';

export const ACCESS_WORDS: Readonly<Record<AccessChoice, string>> = {
  none: 'Gets mails in the owner’s place',
  read: 'Gets such mails, and may see the app',
  manage: 'Gets such mails, and may manage the app',
};

/** The choices of the form, in their order. */
export const ACCESS_CHOICES = (Object.keys(ACCESS_WORDS) as AccessChoice[]).map((value) => ({
  value,
  words: ACCESS_WORDS[value],
}));

/** The choice that a form sent; undefined for any other text. */
export function readAccess(text: string | undefined): AccessChoice | undefined {
  return ACCESS_CHOICES.find(({ value }) => value === text)?.value;
}
