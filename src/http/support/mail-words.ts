import type { ReminderMail } from '../../domain/support/describe-mapping.ts';

/** Mails of reminders in words: about what, and whether they arrived. */

const STAGES: Readonly<Record<string, string>> = {
  died: 'a connection ended',
  woken: 'a token is used again after a long time',
  unused: 'an unused token or app, once before its date',
  again: 'sent again by support',
};

const DATES: Readonly<Record<string, string>> = { retirement: 'the retirement', sunset: 'the sunset' };

function daysWords(stage: string): string {
  if (stage === '0') return 'on the day of';
  return stage === '1' ? 'one day before' : `${stage} days before`;
}

/** What a reminder was about: `30 days before the retirement on 2027-02-01`. */
export function stageWords({
  stage,
  planned_for: planned,
}: Pick<ReminderMail, 'stage' | 'planned_for'>): string {
  if (Object.hasOwn(STAGES, stage)) return STAGES[stage] ?? stage;
  const [name = '', day = ''] = planned.split(':');
  const date = Object.hasOwn(DATES, name) ? DATES[name] : 'a date';
  return `${daysWords(stage)} ${date}${day === '' ? '' : ` on ${day}`}`;
}

const inBrackets = (failure: string | null) => (failure === null ? '' : ` (${failure})`);

interface Delivery {
  label: string;
  kind: 'ok' | 'warning' | 'danger' | '';
  /** What is to be added to it. */
  note: string;
}

type Mail = Pick<ReminderMail, 'state' | 'attempts' | 'failure' | 'settled_at'>;

function undelivered({ failure, settled_at: settledAt }: Mail): Delivery {
  if (settledAt !== null)
    return { label: 'reached nobody', kind: '', note: `Dealt with by support${inBrackets(failure)}.` };
  return {
    label: 'reached nobody',
    kind: 'danger',
    note: `It could not be delivered${inBrackets(failure)}.`,
  };
}

const DELIVERIES: Record<ReminderMail['state'], (mail: Mail) => Delivery> = {
  due: ({ attempts, failure }) =>
    attempts > 0 && failure !== null
      ? { label: 'put off', kind: 'warning', note: `It is tried again${inBrackets(failure)}.` }
      : { label: 'waits', kind: '', note: 'It is sent within a minute or two.' },
  sending: () => ({ label: 'being sent', kind: '', note: '' }),
  sent: ({ failure }) =>
    failure === null
      ? { label: 'sent', kind: 'ok', note: '' }
      : { label: 'sent', kind: 'warning', note: `As far as is known${inBrackets(failure)}.` },
  dropped: () => ({ label: 'not needed', kind: '', note: 'Before it was sent, its reason was gone.' }),
  refused: ({ failure }) => ({
    label: 'refused',
    kind: 'warning',
    note: `The address does not take it${inBrackets(failure)}; another mail took its place.`,
  }),
  undeliverable: undelivered,
};

/** What became of a mail. */
export function deliveryWords(mail: Mail): Delivery {
  return DELIVERIES[mail.state](mail);
}

/** One mail as a row. */
export function mailLine(mail: ReminderMail) {
  return {
    at: mail.ended_at ?? mail.created_at,
    app: { name: mail.app_name, href: `/support/apps/${encodeURIComponent(mail.client_id)}` },
    about: stageWords(mail),
    role: mail.role === 'owner' ? 'as the app’s owner' : 'as the token’s holder',
    address: mail.address ?? 'no address is known',
    delivery: deliveryWords(mail),
    settle:
      mail.state === 'undeliverable' && mail.settled_at === null
        ? `/support/mails/${mail.mail_id}/settle`
        : undefined,
  };
}
