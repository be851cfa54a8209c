import { DAY } from '../shared/lifetimes.ts';
import { dayOf } from '../shared/moments.ts';
import type { NewMail, NewReminder } from '../store/reminders/reminders.ts';
import { CAMPAIGN, DESK, NEWS } from './apps.ts';
import { momentAgo } from './life.ts';
import { DEMO_PEOPLE, type DemoName } from './people.ts';

/** The reminders of four weeks ago: all of the same stage. One mail could not be delivered. */

interface SentReminder {
  to: DemoName;
  clientIds: readonly string[];
  role: 'holder' | 'owner';
  /** The error as a mail server words it. */
  failure?: string;
}

const MAILS: readonly SentReminder[] = [
  { to: 'dana', clientIds: [NEWS.clientId], role: 'owner' },
  { to: 'sam', clientIds: [DESK.clientId, CAMPAIGN.clientId], role: 'owner' },
  { to: 'aisha', clientIds: [DESK.clientId], role: 'holder' },
  { to: 'chloe', clientIds: [CAMPAIGN.clientId], role: 'holder' },
  {
    to: 'tom',
    clientIds: [NEWS.clientId, DESK.clientId],
    role: 'holder',
    failure: 'EENVELOPE 550 5.1.1',
  },
];

const SENT_AGO = 29;

/** How many days before the retirement the mails were sent. */
const STAGE = '90';

const fixedId = (kind: string, n: number) => `5e1f0c9a7b3d4e2f8a6${kind}${String(n).padStart(4, '0')}`;

interface Rows {
  mails: NewMail[];
  reminders: NewReminder[];
}

function rowsOf(
  { to, clientIds, role, failure }: SentReminder,
  n: number,
  { at, retirement }: PlanDates,
): Rows {
  const { accountId, email } = DEMO_PEOPLE[to];
  const mail: NewMail = {
    id: fixedId('d', n),
    person: `account:${accountId}`,
    day: dayOf(at),
    replaces: '',
    address: email,
    state: failure === undefined ? 'sent' : 'undeliverable',
    attempts: 1,
    next_at: at,
    failure: failure ?? null,
    created_at: at,
    ended_at: at + 2000,
  };
  const reminders = clientIds.map((client_id, index) => ({
    id: fixedId('f', n * 10 + index),
    mail_id: mail.id,
    person: mail.person,
    client_id,
    role,
    stage: STAGE,
    planned_for: `retirement:${dayOf(retirement)}`,
    created_at: at,
  }));
  return { mails: [mail], reminders };
}

interface PlanDates {
  at: number;
  retirement: number;
}

/** The mails and their reminders. `retirement` is the date that the mails announced. */
export function mailRows(now: number, retirement: number): Rows {
  const sent = momentAgo(now, SENT_AGO);
  const at = sent - (sent % DAY) + (9 / 24) * DAY;
  const rows = MAILS.map((mail, n) => rowsOf(mail, n, { at, retirement }));
  return {
    mails: rows.flatMap(({ mails }) => mails),
    reminders: rows.flatMap(({ reminders }) => reminders),
  };
}
