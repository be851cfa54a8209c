import type { MappingTarget } from '../../../domain/support/actions/actions.ts';
import {
  prospectsOf,
  sendAgain,
  type SendAgainResult,
  silenceOf,
  type ReminderSilence,
} from '../../../domain/support/send-again.ts';
import type { Prospect, Role } from '../../../domain/support/send-again-people.ts';
import { TOO_LATE } from '../../../domain/tokens/standing/words.ts';
import type { PageShell } from '../../site/page-shell.ts';
import type { StaffAction, ActionPage, Field } from './action-form.ts';
import { backTo, tokenRedirect, mappingIn, tokenFacts } from './action-target.ts';
import { oldApiStatusNow } from '../../../domain/lifecycle/old-api-status.ts';

/** /support/mappings/:id/remind: sends a reminder once more, to a person who can act on the waiting token. */

/** Why no reminder leaves, in sentences. */
export const NO_REMINDER: Readonly<Record<Exclude<SendAgainResult['outcome'], 'asked'>, string>> = {
  'too late': TOO_LATE,
  'other address':
    'It would go to another address than this page showed when you opened it, so nothing was sent. Look at the address once more.',
  'no mail server':
    'This bridge sends no reminders, for no mail server is set (SMTP_URL). Make a link instead and hand it over yourself.',
  'restored copy': 'This is a restored copy of the database, which writes to nobody.',
  unknown: 'Nobody knows who that is: neither an account nor an address is known.',
  'nothing waits':
    'Nothing waits there of which a person is told. A token that nobody used since the registration of its app does not count.',
  'no address':
    'No e-mail address is known. It becomes known when the person signs in here, or by an import.',
  'bad address': 'What was imported as the e-mail address is none, so nothing can be sent there.',
  stopped:
    'The reader of this address said “not me” and gets no reminders. If that was a mistake, the operator can let them go on: reminders resume ADDRESS.',
  'on its way': 'A reminder that was asked for is on its way already. Its state is on the page of the token.',
  'too soon': 'A reminder about this app was asked for within the last hour. One an hour is the most.',
};

const PARTS: Readonly<Record<Role, string>> = {
  holder: 'The account holder',
  owner: 'The owner of the app',
};

/** Why a person cannot be chosen as the recipient. */
function factOf({ role, address, hindrance }: Prospect): ActionPage['facts'] {
  if (hindrance === undefined) return [];
  const text = `${address === undefined ? '' : `${address}: `}${NO_REMINDER[hindrance]}`;
  return [{ term: PARTS[role], text }];
}

/** Who can be chosen, and the address of each as the page shows it. */
function choiceOf(open: readonly Prospect[]): Field[] {
  const [first] = open;
  if (!first) return [];
  const choices = open.map(({ role, address }) => ({ value: role, label: `${PARTS[role]}, ${address}` }));
  const seen = open.map(
    ({ role, address = '' }): Field => ({ kind: 'hidden', name: `seen_${role}`, value: address }),
  );
  return [...seen, { kind: 'choice', name: 'to', label: 'To whom', value: first.role, choices }];
}

const NOBODY = 'Nobody can be written to about this token just now. Below is why.';
const UNKNOWN =
  'Neither the holder of this token nor the owner of its app is known by an address or an account, so there is nobody to write to.';

function saysFor(
  silence: ReminderSilence | undefined,
  all: readonly Prospect[],
  open: readonly Prospect[],
): string[] {
  if (silence) return [NO_REMINDER[silence]];
  if (all.length === 0) return [UNKNOWN];
  if (open.length === 0) return [NOBODY];
  return [
    'A mail says what stands now and brings the button that mends it. It leaves within a minute; if nothing waits any more by then, it is not sent.',
    'At most one an hour goes to a person about an app.',
  ];
}

const hasEnded = ({ context }: PageShell, { clientId }: MappingTarget) =>
  oldApiStatusNow(context, clientId).phase === 'ended';

function tooLate(target: MappingTarget): ActionPage {
  const [facts, back] = [tokenFacts(target), backTo(target)];
  return { title: 'Send a reminder', says: [TOO_LATE], facts, button: undefined, back };
}

async function ask(frame: PageShell, target: MappingTarget): Promise<ActionPage> {
  if (hasEnded(frame, target)) return tooLate(target);
  const { context } = frame;
  const silence = silenceOf(context);
  const all = await prospectsOf(context, target);
  const open = silence ? [] : all.filter(({ hindrance }) => hindrance === undefined);
  return {
    title: 'Send a reminder',
    says: saysFor(silence, all, open),
    facts: [...tokenFacts(target), ...all.flatMap(factOf)],
    fields: choiceOf(open),
    button: open.length > 0 ? { label: 'Send it', isDanger: false } : undefined,
    back: backTo(target),
  };
}

const CHOOSE = 'Choose to whom it goes.';

const isRole = (text: string | undefined): text is Role => text === 'holder' || text === 'owner';

/** The action `remind`. */
export function remindAction(frame: PageShell): StaffAction<MappingTarget> {
  return {
    path: '/support/mappings/:id/remind',
    needs: 'agent',
    find: (req) => mappingIn(frame, req),
    ask: async (target) => (target.isWaiting ? ask(frame, target) : tokenRedirect(target, 'too-late')),
    async act({ target, fields, reason, origin }) {
      const { to: role } = fields;
      if (!isRole(role)) return { problems: { to: CHOOSE } };
      const seen = fields[`seen_${role}`] ?? '';
      const asked = { mappingId: target.mappingId, role, seen, reason, ...origin };
      const { outcome } = await sendAgain(frame.context, asked);
      return outcome === 'asked'
        ? tokenRedirect(target, 'reminder-asked')
        : { problems: { form: NO_REMINDER[outcome] } };
    },
  };
}
