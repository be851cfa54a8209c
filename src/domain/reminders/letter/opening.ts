import type { DomainSettings } from '../../domain-settings.ts';
import type { ReminderPerson } from '../people.ts';
import type { PersonRole } from '../../../store/tables/lifecycle.ts';
import type { LetterLine } from './content.ts';
import { plainPerson } from './plain.ts';

/** How a mail begins and ends: whom it greets, which account it is about, and how to do without trusting it. */

interface LetterGround {
  person: ReminderPerson;
  settings: Pick<DomainSettings, 'publicUrl' | 'serviceName' | 'helpUrl'>;
}

/** `Hello Dana,`; a contact of an app and an address without an account have no name here. */
export function greetingOf({ name = '' }: ReminderPerson): string {
  const shown = plainPerson(name);
  return shown === '' ? 'Hello,' : `Hello ${shown},`;
}

/** What the mail is about, in a sentence, with the product and the account. `roles` are those of its reminders. */
export function openingOf({ person, settings }: LetterGround, roles: ReadonlySet<PersonRole>): string {
  const { accountId, address } = person;
  const under = address === undefined ? '' : ` (${address})`;
  const whose = accountId === undefined ? 'your e-mail address' : `your account at ${settings.serviceName}`;
  const where = accountId === undefined ? ` at ${settings.serviceName}` : '';
  const held = `apps that use the old API${where} with ${whose}${under}`;
  const owned = 'apps that you own or look after';
  if (!roles.has('owner')) return `This mail is about ${held}.`;
  if (!roles.has('holder')) return `This mail is about ${owned} at ${settings.serviceName}${under}.`;
  return `This mail is about ${held}, and about ${owned}.`;
}

/** How a reader who trusts no mail gets to the same pages. To a contact those of the app open only if its owner wants it. */
function withoutTrust({ person, settings }: LetterGround): LetterLine {
  const { host } = new URL(settings.publicUrl);
  if (person.isContact)
    return {
      text: `You need not follow the links of a mail. You can type ${host}/lifecycle into your browser: there everybody finds the dates of the old API. What the owner of an app sees, at ${host}/apps, others see only where the owner gave them access.`,
    };
  const account = person.accountId === undefined ? ' with the account that has this e-mail address' : '';
  return {
    text: `You need not follow the links of a mail. You can type ${host}/apps into your browser and sign in there${account}.`,
  };
}

/** The lines below the apps. `why` is the sentence that says who sends the mail, and why. */
export function footLines(ground: LetterGround, why: LetterLine, notMe: string): LetterLine[] {
  const { helpUrl } = ground.settings;
  return [
    withoutTrust(ground),
    why,
    { text: 'Not you?', link: { label: 'Stop these mails', href: notMe } },
    ...(helpUrl ? [{ text: 'Questions?', link: { label: 'Help', href: helpUrl } }] : []),
  ];
}
