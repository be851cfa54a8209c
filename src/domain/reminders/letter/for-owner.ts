import { capital } from '../../../shared/words.ts';
import { endpointsPassed } from '../../usage/calls-of.ts';
import { changesCalls } from '../../lifecycle/lifecycle.ts';
import { NOT_KEPT } from '../../posts/not-kept.ts';
import type { OwnerPart } from '../people.ts';
import { USED_WITHIN } from '../plan-stages.ts';
import { STANDING_WORDS } from '../../tokens/standing/words.ts';
import { appDateOf, isBridgeAlone, type RoleFacts } from './about-app.ts';
import type { LetterBlock, LetterLine } from './content.ts';
import { brownoutBlocks, callBlocks, extensionBlocks, SIGN_IN, warnings } from './evidence.ts';
import { endpointNames } from './lost-calls.ts';
import {
  letterCountWords,
  daysUntil,
  letterDayWords,
  inDays,
  momentWords,
  type LetterReader,
} from './moments.ts';
import {
  ASKED,
  byReminderUrgency,
  endingWords,
  reminderKindOf,
  takenOf,
  type LetterStage,
  workingOf,
} from './stages.ts';

/** The part of a mail for the owner of an app: who uses the app, what will break, how to move, and how to rehearse. */

type OwnerFacts = RoleFacts<OwnerPart>;

const areRefused = (refused: number) =>
  `${letterCountWords(refused, 'token')} of its users ${refused === 1 ? 'is' : 'are'} refused now`;

const refusedWords = ({ refused }: LetterStage) =>
  `${areRefused(refused)}: once connected, ${refused === 1 ? 'it works' : 'they work'} again.`;

function statusOf({ app: { reader } }: OwnerFacts, due: LetterStage): string {
  const { at, milestone } = due;
  const kind = reminderKindOf(due, reader);
  if (kind === 'refused') return refusedWords(due);
  if (kind === 'waits') return 'Some of its users have not connected it to the new API yet.';
  if (kind === 'unused' || at === undefined)
    return 'Its tokens seem not to be used any more: no call came with a connected or waiting token in the last 30 days.';
  const when = `${at > reader.now ? 'on' : 'the date was'} ${momentWords(at, reader)}`;
  if (milestone === 'sunset')
    return at > reader.now
      ? `Stops working ${inDays(at, reader)}: ${when}.`
      : `${capital(STANDING_WORDS.stopped.headline)}: ${when}.`;
  return `${capital(endingWords(due, at, reader))}: ${when}.`;
}

/** The calls in the mail are of all tokens. The program that makes them may have to change all the same. */
function endedToo({ calls }: OwnerFacts): string {
  return (calls?.kinds.length ?? 0) > 0 ? ' The calls below are of all its tokens, ended ones too.' : '';
}

function unusedWords({ app: { reader } }: OwnerFacts, due: LetterStage): string {
  const { at, milestone } = due;
  const move = 'If nobody needs it, there is nothing to do. If somebody does, read on how to move';
  // The waiting tokens are refused before the date too.
  const takesNothing = milestone !== 'sunset' && workingOf(due) === 0;
  if (at === undefined || at <= reader.now || takesNothing) return `${move}.`;
  const then = milestone === 'sunset' ? 'the old API ends' : 'users who have not connected it are refused';
  return `${move} before ${letterDayWords(at, reader)}: then ${then}.`;
}

function sunsetWords(isPast: boolean): string {
  return isPast
    ? 'The old API has ended, also for users who are connected. The app has to use the new API.'
    : 'Then the old API ends, also for users who are connected. The app has to use the new API by then.';
}

const READS_AGAIN = 'it reads and posts again';
const HAS_ENDED = `${NOT_KEPT} has ended`;

/** How tokens work again that are refused without any date. */
function mendingWords({ app }: OwnerFacts, { milestone, at }: LetterStage): string {
  const until =
    milestone === 'sunset' && at !== undefined
      ? ` until the old API ends, on ${momentWords(at, app.reader)}`
      : '';
  const again = isBridgeAlone(app) ? `${READS_AGAIN}${until}; ${HAS_ENDED}` : `it works again${until}`;
  return `Users who have not connected your app to the new API are refused, whatever the date. Once they connect it, ${again}.`;
}

function retirementWords(due: LetterStage, isPast: boolean): string {
  if (isPast)
    return takenOf(due) > 0
      ? `Users who have not connected your app to the new API are refused since then. Once they connect it, ${READS_AGAIN}; ${HAS_ENDED}.`
      : `Your app reads and posts for those who are connected; ${HAS_ENDED}.`;
  return takenOf(due) > 0
    ? `Users who have not connected your app to the new API are refused from then on. Once they connect it, it goes on reading and posting; ${NOT_KEPT} ends.`
    : `From then on your app goes on reading and posting for those who are connected; ${NOT_KEPT} ends.`;
}

function explanationOf(facts: OwnerFacts, due: LetterStage): string {
  const kind = reminderKindOf(due, facts.app.reader);
  if (kind === 'unused') return `${unusedWords(facts, due)}${endedToo(facts)}`;
  if (kind === 'waits')
    return `Once your users connect your app to the new API, it goes on reading and posting when the old API retires; ${NOT_KEPT} ends then.`;
  if (kind === 'refused') return mendingWords(facts, due);
  const isPast = kind === 'past';
  return due.milestone === 'sunset' ? sunsetWords(isPast) : retirementWords(due, isPast);
}

const of = (tokens: number, accounts: number) =>
  tokens === 0
    ? 'none'
    : accounts === 0
      ? letterCountWords(tokens, 'token')
      : `${letterCountWords(tokens, 'token')} of ${letterCountWords(accounts, 'user')}`;

function standing({ part: { tokens, accounts } }: OwnerFacts, { refused }: LetterStage): LetterBlock {
  const lines = [
    { text: `Connected to the new API: ${of(tokens.active, accounts.active)}` },
    { text: `Not connected yet: ${of(tokens.waiting, accounts.waiting)}` },
    ...(refused > 0
      ? [{ text: `${letterCountWords(refused, 'token')} ${refused === 1 ? 'is' : 'are'} refused now` }]
      : []),
  ];
  return { kind: 'list', title: 'Your app today', lines };
}

/** The calls that end with the retirement for connected tokens too; empty when no such call was answered. */
function endingCalls({ app, calls }: OwnerFacts): LetterBlock[] {
  const retirement = appDateOf(app, 'retirement');
  const endpoints = endpointsPassed(calls?.kinds ?? []);
  if (!retirement || !app.hasOldBackend || endpoints.length === 0) return [];
  const end = retirement.at > app.reader.now ? 'end' : 'have ended';
  const text = `These calls ${end} with the retirement for connected tokens too: ${endpointNames(endpoints)}`;
  return [{ kind: 'text', text }];
}

function later({ app }: OwnerFacts, due: readonly LetterStage[]): LetterBlock[] {
  const { reader } = app;
  const sunset = appDateOf(app, 'sunset');
  if (!sunset || sunset.at <= reader.now || due.some(({ milestone }) => milestone === 'sunset')) return [];
  const text = `Later, on ${letterDayWords(sunset.at, reader)}, the old API ends for all users, connected or not.`;
  return [{ kind: 'note', text }];
}

/** A contact has no access to the pages of an app unless its owner gave it. */
const BY_OWNER: LetterLine = {
  text: 'You get this as a contact of the app, because no mail reaches its owner. Whoever signs in as the owner can move the app to the new API, and can give you access to its pages. Where nobody can sign in as the owner any more, our support team can give the app another owner.',
};

/** What an owner can do, the quickest way first. After the sunset, only the move to the new API helps. */
function moving({ app, part }: OwnerFacts, chief: LetterStage): LetterBlock {
  const { clientId, links, reader } = app;
  const page = links.page(`/apps/${clientId}`);
  const connecting: LetterLine = {
    text: 'Ask your users to connect it once; the app itself needs no change for what the new API answers.',
    link: { label: 'The page for your users', href: page },
  };
  const ownClient: LetterLine = {
    text: 'Move the app itself: enter its own client; who connects with that client connects only once. Exchange one old token of each account for new ones (hand-over at /oauth2/exchange, RFC 8693), and call the new API.',
    link: { label: 'Your own client', href: `${page}/modern-client` },
  };
  const rehearsal: LetterLine = {
    text: 'Rehearse the date: for five minutes calls that will be refused then are refused now, of this app and of no other. You see which they are, and it ends by itself.',
    link: { label: 'Rehearse it', href: `${page}/rehearse` },
  };
  // No connection works after the sunset.
  const isHelped =
    part.tokens.waiting > 0 &&
    !chief.isOver &&
    (chief.milestone !== 'sunset' || reminderKindOf(chief, reader) === 'refused');
  const isRehearsed = app.dates.some(
    ({ milestone, at }) => at > reader.now && changesCalls(milestone, app.hasOldBackend),
  );
  const own = [ownClient, ...(isRehearsed ? [rehearsal] : [])];
  const lines = [...(isHelped ? [connecting] : []), ...(links.isForContact ? [BY_OWNER] : own)];
  return { kind: 'list', title: 'What you can do', lines };
}

function leftWords(at: number, reader: LetterReader): string {
  const days = daysUntil(at, reader);
  if (at <= reader.now) return 'the date has come';
  return days <= 0 ? 'the date is today' : `the date is ${letterCountWords(days, 'day')} away`;
}

/** For tokens that were added lately, or where calls were not counted, no use may be known. */
function usedWords({ tokens, lastUsedAt }: OwnerPart, { now }: LetterReader): string {
  if (lastUsedAt !== undefined && now - lastUsedAt <= USED_WITHIN) return 'your app still calls the old API';
  return `your app has ${letterCountWords(tokens.waiting + tokens.active, 'token')} of the old API`;
}

function whyWords({ app: { reader }, part }: OwnerFacts, due: LetterStage): string {
  const kind = reminderKindOf(due, reader);
  const { waiting } = part.tokens;
  const words = () => {
    if (due.isAsked) return ASKED;
    if (kind === 'unused')
      return 'it is registered, and no connected or waiting token of it was used in the last 30 days. This is the only mail about that.';
    if (kind === 'refused') return `${areRefused(due.refused)}.`;
    const left = leftWords(due.at ?? 0, reader);
    if (due.milestone === 'sunset') return `${left}, and ${usedWords(part, reader)}.`;
    if (waiting === 0) return `${left}, and your app still calls what ends then.`;
    return `${left}, and ${letterCountWords(waiting, 'token')} of your app ${waiting === 1 ? 'is' : 'are'} not connected.`;
  };
  return `Why you get this: ${words()}`;
}

/** Tokens that are refused already are told before a sunset that ends more than these tokens. */
function refusedFirst({ app }: OwnerFacts, chief: LetterStage): string[] {
  const isAhead = chief.milestone === 'sunset' && reminderKindOf(chief, app.reader) === 'ahead';
  return isAhead && chief.refused > 0 ? [refusedWords(chief)] : [];
}

/** The blocks of one app for its owner. */
export async function ownerBlocks(facts: OwnerFacts): Promise<LetterBlock[]> {
  const { app, isUnproven } = facts;
  const due = byReminderUrgency(facts.due, app.reader);
  const [chief] = due;
  if (!chief) return [];
  const href = await app.links.to('app', app.clientId, isUnproven);
  return [
    ...warnings([...refusedFirst(facts, chief), ...due.map((one) => statusOf(facts, one))]),
    { kind: 'text', text: explanationOf(facts, chief) },
    standing(facts, chief),
    { kind: 'button', isQuiet: false, link: { label: `See “${app.name}”`, href } },
    ...(app.links.isProof(isUnproven) ? [SIGN_IN] : []),
    ...callBlocks(facts),
    ...endingCalls(facts),
    moving(facts, chief),
    ...later(facts, due),
    ...extensionBlocks(app),
    ...brownoutBlocks(app),
    { kind: 'note', text: whyWords(facts, chief) },
  ];
}
