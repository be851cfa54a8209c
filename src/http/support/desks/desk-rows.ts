import type {
  DoubtfulGrant,
  EndingExtension,
  OwnerlessTokens,
  UnconfirmedHandover,
  UndeliverableMail,
  UnprovenToken,
  WaitingApp,
} from '../../../domain/support/desks-lists.ts';
import { type EndedGrant, isStop } from '../../../domain/support/ended/ended-on-day.ts';
import { isOfTakeOver } from '../../../domain/grants/of-take-over.ts';
import { DEAD_GRANT_KEPT } from '../../../shared/lifetimes.ts';
import { capital } from '../../../shared/words.ts';
import { whyGrantEnded } from '../../../domain/tokens/standing/ends.ts';
import { actionPart, cell, type CellPart, personPart, type DeskView, type ShownRow } from './desk-parts.ts';
import { formatNumber } from '../../wording/words.ts';
import { pluralWords, distanceWords, doubtFate } from './desk-words.ts';
import { inVainWords } from '../actions/extension-words.ts';
import { failureWords } from '../token/failure-words.ts';
import { TOO_LATE } from '../../../domain/tokens/standing/words.ts';
import { IMPORT_PAIR } from '../../../domain/tokens/standing/unknown-holder.ts';
import { stageWords } from '../token/mail-words.ts';
import { hintText } from '../token/token-line.ts';

/**
 * The rows of the desks, for the one template that shows them all: cells made of parts, with the first cell as the
 * heading of the row.
 */

interface Hint {
  hint_first: string | null;
  hint_last: string | null;
}

function tokenPart(row: Hint & { mapping_id: string | null }): CellPart {
  return row.mapping_id === null
    ? { text: 'No token', kind: 'muted' }
    : { text: hintText(row), href: `/support/mappings/${row.mapping_id}`, kind: 'nowrap' };
}

const appPart = ({ client_id, app_name }: { client_id: string; app_name: string }): CellPart => ({
  text: app_name,
  href: `/support/apps/${encodeURIComponent(client_id)}`,
});

interface Holder {
  account_id: string;
  email: string | null;
  name: string | null;
}

function holderPart({ account_id: id, email, name }: Holder): CellPart {
  return { text: name ?? email ?? id, href: `/support/accounts/${encodeURIComponent(id)}` };
}

const doubtCause = (row: DoubtfulGrant): CellPart => ({
  text: isOfTakeOver(row) ? 'restored copy, no refresh was sent' : 'no usable answer came',
  kind: 'muted',
});

/** A grant in doubt, with the next step of the bridge. */
export function doubtRow(row: DoubtfulGrant, { now }: DeskView): ShownRow {
  const expires = row.access_expires_at;
  const words = expires > now ? distanceWords(expires, now) : 'expired';
  const state: CellPart[] =
    row.state === 'presenting' ? [{ text: 'sent, no answer yet', kind: 'badge warning' }] : [doubtCause(row)];
  return [
    cell('Token', tokenPart(row), ...state),
    cell('App', appPart(row)),
    cell('Account', holderPart(row)),
    cell('Since', { time: row.doubt_since ?? row.presented_at ?? 0 }),
    cell('Access token ends', { text: words }, { time: expires, kind: 'muted' }),
    cell('What happens', { text: doubtFate(row, now) }),
  ];
}

/** A holder who has connected again, or has ended all tokens of the grant, must not be asked to connect. */
const MENDED = 'Nothing to do: its holder has connected again, or none of its tokens is left.';

/** The next step where the old API has ended for the app. */
const ENDED: CellPart = { text: TOO_LATE };

/** Where the app is retired, a link to connect would be refused. */
const RETIRED: CellPart = { text: 'Nothing to do: the app is retired, so its tokens are refused.' };

function endedStep(row: EndedGrant, seen: DeskView): CellPart[] {
  const { mapping_id: id, dead_cause: cause, hasStopped } = row;
  if (!isStop(cause ?? '')) return [{ text: 'Nothing to do.' }];
  if (!hasStopped || id === null) return [{ text: MENDED }];
  if (row.app_retired_at !== null) return [RETIRED];
  if (seen.isEnded(row.client_id)) return [ENDED];
  const link = { text: 'Make the link', href: `/support/mappings/${id}/link`, needs: 'agent' } as const;
  return [{ text: 'Send the holder a link to connect again.' }, actionPart(seen, link)];
}

/** A grant that ended, with the reason and the next step. */
export function endedRow(row: EndedGrant, seen: DeskView): ShownRow {
  return [
    cell('Token', tokenPart(row)),
    cell('App', appPart(row)),
    cell('Account', holderPart(row)),
    cell('Ended', { time: row.dead_at ?? 0 }),
    cell('Why', { text: `${capital(whyGrantEnded(row.dead_cause) ?? 'not known')}.` }),
    cell('Next step', ...endedStep(row, seen)),
  ];
}

function aboutPart(reminder: UndeliverableMail['reminders'][number]): CellPart[] {
  const text = `${stageWords(reminder)}, as ${reminder.role === 'owner' ? 'its owner' : 'holder of a token'}`;
  return [appPart(reminder), { text, kind: 'muted' }];
}

/** Who is told of a retired app alone need not be reached any more. */
const NEED_NOT_BE_REACHED = 'Nobody has to be reached: the app is retired, and nobody can connect it.';

function whomToReach(open: UndeliverableMail['reminders'], all: UndeliverableMail['reminders']): CellPart {
  if (open.length > 0 || all.length === 0) return { text: 'Find another way to reach this person.' };
  return all.every(({ app_retired_at: at }) => at !== null) ? { text: NEED_NOT_BE_REACHED } : ENDED;
}

function undeliverableSteps({ id, reminders }: UndeliverableMail, seen: DeskView): CellPart[] {
  const open = reminders.filter(({ client_id: of, app_retired_at: at }) => at === null && !seen.isEnded(of));
  const mappingId = open.find(({ mapping_id }) => mapping_id !== null)?.mapping_id;
  const again = {
    text: 'Send it again',
    href: `/support/mappings/${mappingId}/remind`,
    needs: 'agent',
  } as const;
  const settle = { text: 'Mark as dealt with', href: `/support/mails/${id}/settle`, needs: 'agent' } as const;
  return [
    whomToReach(open, reminders),
    ...(mappingId === undefined ? [] : [actionPart(seen, again)]),
    actionPart(seen, settle),
  ];
}

/** An undeliverable mail: the recipient, the subject, and the reason. */
export function undeliverableRow(row: UndeliverableMail, seen: DeskView): ShownRow {
  const address: CellPart = row.address === null ? { text: 'no address' } : { text: row.address };
  return [
    cell('Person', personPart(row), { ...address, kind: 'muted' }),
    cell('About', ...row.reminders.slice(0, ABOUT_MAX).flatMap(aboutPart), ...moreOf(row.reminders.length)),
    cell('Why', { text: capital(failureWords(row.failure ?? 'not known')) }),
    cell('Given up', { time: row.ended_at ?? row.created_at }),
    cell('Next step', ...undeliverableSteps(row, seen)),
  ];
}

/** At most this many reminders of one mail are named. */
const ABOUT_MAX = 5;

const moreOf = (count: number): CellPart[] =>
  count > ABOUT_MAX ? [{ text: `and ${count - ABOUT_MAX} more`, kind: 'muted' }] : [];

function nobodysStep(
  { mapping_id: id, email, client_id: clientId }: OwnerlessTokens,
  seen: DeskView,
): CellPart[] {
  if (seen.isEnded(clientId)) return [ENDED];
  if (email === null) return [{ text: IMPORT_PAIR }];
  const at = (name: string) => `/support/mappings/${id}/${name}`;
  return [
    { text: 'Its link lets the person prove the address:' },
    actionPart(seen, { text: 'Send a reminder', href: at('remind'), needs: 'agent' }),
    { text: 'Or, once it is proven in another way which account the person has:' },
    actionPart(seen, { text: 'Pin to an account', href: at('pin'), needs: 'lead' }),
  ];
}

const ofRetiredParts = ({ ofRetired }: OwnerlessTokens): CellPart[] =>
  ofRetired > 0 ? [{ text: `and ${formatNumber(ofRetired)} of retired apps`, kind: 'muted' }] : [];

/** All tokens of one address, or of one old user id. */
export function nobodysRow(row: OwnerlessTokens, seen: DeskView): ShownRow {
  const who = row.email ?? `Old user id ${row.legacyAccountId}`;
  return [
    cell('Person', { text: who }),
    cell('Waiting', { text: pluralWords(row.count, 'token') }, ...ofRetiredParts(row)),
    cell('One token', {
      text: hintText(row),
      href: `/support/mappings/${row.mapping_id}`,
      kind: 'nowrap',
    }),
    cell('App', appPart(row)),
    cell('Next step', ...nobodysStep(row, seen)),
  ];
}

/** A token that works, and whose app no person has confirmed. */
export function unprovenRow(row: UnprovenToken, seen: DeskView): ShownRow {
  const { account_id, email, name } = row;
  const at = (act: string) => `/support/mappings/${row.id}/${act}`;
  return [
    cell('Token', tokenPart(row), { time: row.created_at, kind: 'muted' }),
    cell('Connected with', appPart(row)),
    cell('Account', account_id === null ? { text: 'not known' } : holderPart({ account_id, email, name })),
    cell('Connection', { text: `${pluralWords(row.sharing ?? 0, 'token')} on it` }),
    cell(
      'Next step',
      { text: 'Ask the account holder, then' },
      actionPart(seen, { text: 'Say which app this is', href: at('assign'), needs: 'agent' }),
      actionPart(seen, { text: 'Revoke', href: at('revoke'), needs: 'agent' }),
    ),
  ];
}

/** A hand-over that its app has not confirmed. */
export function handoverDeskRow(row: UnconfirmedHandover, { now }: DeskView): ShownRow {
  const erased = row.handed_at + DEAD_GRANT_KEPT;
  return [
    cell('App', appPart(row)),
    cell('Account', holderPart(row)),
    cell(
      'Moved',
      { text: pluralWords(row.migrated_tokens, 'token') },
      { time: row.handed_at, kind: 'muted' },
    ),
    cell('Copy is erased', { text: distanceWords(erased, now) }, { time: erased, kind: 'muted' }),
    cell('Next step', {
      text: 'Ask the owner of the app whether it has stored the new tokens, and to let it confirm. If it loses them after that day, the holder has to connect the app anew.',
    }),
  ];
}

function waitingStep({ owner_account_id: owner, owner_email: email, source }: WaitingApp): CellPart {
  if (source === 'observed') return { text: 'Find out which app it is; open its tokens and assign them.' };
  if (owner !== null)
    return { text: 'See who owns it', href: `/support/accounts/${encodeURIComponent(owner)}` };
  return email === null
    ? { text: 'Its owner is not known: look at its contacts.' }
    : { text: `Write to its owner: ${email} (not proven).` };
}

/** An app with people who have still to connect. */
export function waitingRow(row: WaitingApp, { isEnded }: DeskView): ShownRow {
  const hasEnded = isEnded(row.client_id);
  return [
    cell('App', appPart(row)),
    cell('People who wait', { text: pluralWords(row.people, 'person', 'people') }),
    cell(
      'Tokens',
      { text: `${pluralWords(row.waiting, 'token')} ${hasEnded ? 'not connected' : 'to connect'}` },
      { text: `${pluralWords(row.active, 'token')} connected`, kind: 'muted' },
    ),
    cell('Next step', ...(hasEnded ? [ENDED] : []), waitingStep(row)),
  ];
}

function extensionStep(row: EndingExtension, { now }: DeskView): string {
  const isOver = row.until <= now;
  const inVain = inVainWords(row);
  if (inVain !== undefined)
    return `${inVain} Nothing ${isOver ? 'changed' : 'changes'} for the app on that day.`;
  return isOver
    ? `The ${row.milestone} has come for this app. Give it more time only if its owner asks for it.`
    : 'Ask the owner whether the app will have moved by then.';
}

/** An extension that ends soon or is over. The app may not be aware of the end. */
export function extensionRow(row: EndingExtension, seen: DeskView): ShownRow {
  const { now } = seen;
  const isNoticed = row.until > now && inVainWords(row) === undefined;
  const href = `/support/apps/${encodeURIComponent(row.client_id)}/extend`;
  return [
    cell('App', appPart(row)),
    cell('More time until the', { text: row.milestone }),
    cell(
      'Ends',
      { text: distanceWords(row.until, now), kind: isNoticed ? 'badge warning' : 'muted' },
      { time: row.until, kind: 'muted' },
    ),
    cell('Reason', { text: row.reason }),
    cell(
      'Next step',
      { text: extensionStep(row, seen) },
      actionPart(seen, { text: 'Give more time', href, needs: 'lead' }),
    ),
  ];
}
