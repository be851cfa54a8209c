import { whoWords } from '../timeline/timeline-words.ts';
import { mayAct, type StaffRole } from '../../../domain/accounts/staff.ts';
import type { ReminderMail } from '../../../domain/support/describe-mapping.ts';
import { failureWords } from './failure-words.ts';

/** Reminder mails in words: the subject, and whether the mail arrived. */

const STAGES: Readonly<Record<string, string>> = {
  died: 'a connection ended',
  woken: 'a token is used again after a long time',
  unused: 'not used for 30 days',
  again: 'sent again by support',
  leaked: 'a token has leaked',
};

const DATES: Readonly<Record<string, string>> = { retirement: 'the retirement', sunset: 'the sunset' };

/**
 * The subject of a reminder: `30-day reminder of the retirement on 2027-02-01`. A reminder that was missed is made up
 * for later, so its number does not say how many days before the date the mail left.
 */
export function stageWords({
  stage,
  planned_for: planned = '',
}: Pick<ReminderMail, 'stage'> & { planned_for?: string }): string {
  if (Object.hasOwn(STAGES, stage)) return STAGES[stage] ?? stage;
  const [name = '', day = ''] = planned.split(':');
  const date = Object.hasOwn(DATES, name) ? DATES[name] : 'the date';
  const kind = stage === '0' ? 'reminder for the day' : `${stage}-day reminder`;
  return `${kind} of ${date}${day === '' ? '' : ` on ${day}`}`;
}

/** The words with the reason, where the reason is known. */
const because = (said: string, failure: string | null) =>
  `${said}${failure === null ? '' : `: ${failureWords(failure)}`}.`;

interface Delivery {
  label: string;
  kind: 'ok' | 'warning' | 'danger' | '';
  /** A sentence that explains the label. */
  note: string;
}

type Mail = Pick<ReminderMail, 'state' | 'attempts' | 'failure' | 'settled_at'>;

function undelivered({ failure, settled_at: settledAt }: Mail): Delivery {
  if (settledAt !== null)
    return {
      label: 'reached nobody',
      kind: '',
      note: `${because('It could not be delivered', failure)} Dealt with by support`,
    };
  return {
    label: 'reached nobody',
    kind: 'danger',
    note: because('It could not be delivered', failure),
  };
}

const DELIVERIES: Record<ReminderMail['state'], (mail: Mail) => Delivery> = {
  due: ({ attempts, failure }) =>
    attempts > 0 && failure !== null
      ? { label: 'put off', kind: 'warning', note: because('It is tried again', failure) }
      : { label: 'waits', kind: '', note: 'It is sent within a minute or two.' },
  sending: () => ({ label: 'being sent', kind: '', note: '' }),
  sent: ({ failure }) =>
    failure === null
      ? { label: 'sent', kind: 'ok', note: '' }
      : { label: 'sent', kind: 'warning', note: because('As far as is known', failure) },
  dropped: () => ({ label: 'not needed', kind: '', note: 'Before it was sent, its reason was gone.' }),
  refused: ({ failure }) => ({
    label: 'refused',
    kind: 'warning',
    note: `${because('The address does not take it', failure)} Another mail took its place.`,
  }),
  undeliverable: undelivered,
};

/** The outcome of a mail. */
export function deliveryWords(mail: Mail): Delivery {
  return DELIVERIES[mail.state](mail);
}

const appAddress = ({ client_id: id }: ReminderMail) => `/support/apps/${encodeURIComponent(id)}`;

/** Who settled an undeliverable mail, and where the reason can be read. */
function settledBy(mail: ReminderMail, { names }: MailReaders) {
  const { settled_at: at, settled_by: by } = mail;
  if (at === null) return undefined;
  const { words } = whoWords(by ?? '', { names, holderId: undefined });
  return { at, by: words, href: `${appAddress(mail)}#history` };
}

/** Who reads the rows, and the names of those who settled mails (`actorNames`). */
interface MailReaders {
  role: StaffRole;
  names: ReadonlyMap<string, string>;
}

const isUnsettled = ({ state, settled_at: at }: ReminderMail) => state === 'undeliverable' && at === null;

/** What a mail said about one app. */
const aboutLine = (mail: ReminderMail) => ({
  app: { name: mail.app_name, href: appAddress(mail) },
  about: stageWords(mail),
  role: mail.role === 'owner' ? 'as the app’s owner' : 'as the token’s holder',
});

/** Mails as rows. One row holds all subjects of a mail. */
export function mailLines(mails: readonly ReminderMail[], readers: MailReaders) {
  const byMail = new Map<string, [ReminderMail, ...ReminderMail[]]>();
  for (const mail of mails) {
    const known = byMail.get(mail.mail_id);
    if (known) known.push(mail);
    else byMail.set(mail.mail_id, [mail]);
  }
  return [...byMail.values()].map((some) => mailLine(some, readers));
}

function mailLine(some: readonly [ReminderMail, ...ReminderMail[]], readers: MailReaders) {
  const [mail] = some;
  return {
    at: mail.ended_at ?? mail.created_at,
    abouts: some.map(aboutLine),
    moreAbouts: Math.max(0, mail.of_mail - some.length),
    address: mail.address ?? 'no address is known',
    delivery: deliveryWords(mail),
    settled: settledBy(mail, readers),
    settle: isUnsettled(mail)
      ? { href: `/support/mails/${mail.mail_id}/settle`, isAllowed: mayAct(readers.role, 'agent') }
      : undefined,
  };
}
