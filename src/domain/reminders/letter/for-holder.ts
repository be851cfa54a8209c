import { capital } from '../../../shared/words.ts';
import type { AppDate } from '../../lifecycle/lifecycle.ts';
import { NOT_KEPT } from '../../posts/not-kept.ts';
import type { HolderPart } from '../people.ts';
import { USED_WITHIN } from '../plan-stages.ts';
import { STANDING_WORDS } from '../../tokens/standing/words.ts';
import { appDateOf, isBridgeAlone, type RoleFacts } from './about-app.ts';
import type { LetterBlock } from './content.ts';
import { brownoutBlocks, endsFor, extensionBlocks, lastUseBlocks, SIGN_IN, warnings } from './evidence.ts';
import { lostCalls, lostEndpoints } from './lost-calls.ts';
import { letterCountWords, letterDayWords, letterNumberWords, daysUntil, momentWords } from './moments.ts';
import { plainWords } from './plain.ts';
import {
  ASKED,
  byReminderUrgency,
  happenedAt,
  hasWorkingBeside,
  isOfPart,
  isRefused,
  type ReminderKind,
  reminderKindOf,
  stopWords,
  type LetterStage,
} from './stages.ts';

/** The part of a mail for the holder of tokens at one app, with one main button. */

type HolderFacts = RoleFacts<HolderPart>;

const tokens = ({ part }: HolderFacts) => letterCountWords(part.waiting, 'token');
const isOne = ({ part }: HolderFacts) => part.waiting === 1;

/** The next date, or the last date when all are past; undefined when no date is set. */
function endOf({ app: { dates, reader } }: HolderFacts): AppDate | undefined {
  return dates.find(({ at }) => at > reader.now) ?? dates.at(-1);
}

const hasEnded = ({ app }: HolderFacts) => (appDateOf(app, 'sunset')?.at ?? Infinity) <= app.reader.now;

const isBesideConnected = ({ due }: HolderFacts) => due.some(({ hasConnected }) => hasConnected);

/** Whether all waiting tokens are refused. */
const areRefused = ({ due, app }: HolderFacts) => due.every((one) => isRefused(one, app.reader));

/** The calls that work again after a connection, judged by the calls that were seen. */
function mendsWords(facts: HolderFacts): string {
  return isBridgeAlone(facts.app) && lostEndpoints(facts).length > 0
    ? 'connect it to bring back what the new API answers'
    : 'connect it and it works again';
}

function wokenWords(facts: HolderFacts, wokenAt: number): string {
  const { reader } = facts.app;
  const end = endOf(facts);
  const what = isBesideConnected(facts) ? 'A token of it is' : 'Is';
  const woken = `${what} in use again since ${letterDayWords(wokenAt, reader)}`;
  if (hasEnded(facts)) return `${woken}, but has stopped working.`;
  if (areRefused(facts)) return `${woken}, but is refused: ${mendsWords(facts)}.`;
  if (!end) return `${woken}.`;
  const when = momentWords(end.at, reader);
  return end.at > reader.now
    ? `${woken}, and ${stopWords(end.at, reader)}: on ${when}.`
    : `${woken}, but is refused since ${when}.`;
}

/** A sentence about the app, or about a part of the app while other tokens of the app still work. */
function withSubject(isPart: boolean, words: string): string {
  return isPart ? `Part of it ${words}` : capital(words);
}

function statusOf(facts: HolderFacts, due: LetterStage): string {
  const { reader } = facts.app;
  const { at = 0, milestone, hasConnected } = due;
  const happened = happenedAt(due) ?? reader.now;
  const isPart = isOfPart(due);
  const othersWork = hasWorkingBeside(due);
  const status: Record<ReminderKind, () => string> = {
    died: () =>
      `${withSubject(othersWork, STANDING_WORDS.stopped.headline)}: ${othersWork ? 'a' : 'the'} connection ended on ${momentWords(happened, reader)}.`,
    past: () => `${withSubject(isPart, stopWords(at, reader))}: the date was ${momentWords(at, reader)}.`,
    refused: () => {
      const until = milestone === 'sunset' ? ` until the old API ends, on ${momentWords(at, reader)}` : '';
      return `${withSubject(hasConnected, STANDING_WORDS.refused.headline)}: ${mendsWords(facts)}${until}.`;
    },
    ahead: () => `${withSubject(isPart, stopWords(at, reader))}: on ${momentWords(at, reader)}.`,
    waits: () => `${withSubject(hasConnected, STANDING_WORDS.passed.headline)}.`,
    woken: () => wokenWords(facts, happened),
    unused: () =>
      `Has a token that you seem not to need: ${hasConnected ? 'it is not connected, and no call came with it' : 'no call came'} in the last 30 days.`,
  };
  return status[reminderKindOf(due, reader)]();
}

const sunsetAhead = ({ app }: HolderFacts) =>
  `Then the old API ends ${endsFor(appDateOf(app, 'sunset'))}, connected or not. Whoever makes this app has to move it to the new API before that: please ask them.`;
const SUNSET_PAST =
  'The old API has ended, for connected apps too. Whoever makes this app has to move it to the new API: please ask them.';

function retirementWords(facts: HolderFacts, isPast: boolean): string {
  const [they, are, it] = isOne(facts)
    ? ['1 token of this app', 'is', 'it']
    : [`${tokens(facts)} of this app`, 'are', 'they'];
  if (!isPast)
    return `${they} ${are} not connected to the new API and ${are} refused from then on. Connect the app once, and ${it} ${isOne(facts) ? 'goes' : 'go'} on reading and posting; ${NOT_KEPT} ends.`;
  return `${they} ${are} not connected to the new API and ${are} refused since then. Connect the app once, and ${it} ${isOne(facts) ? 'reads and posts' : 'read and post'} again; ${NOT_KEPT} has ended.`;
}

/** The calls that work again after a connection. `isAlone`: only the new API answers. */
function againWords(subject: 'it' | 'they', isAlone: boolean): string {
  const s = subject === 'it' ? 's' : '';
  return isAlone
    ? `${subject} read${s} and post${s} again; ${NOT_KEPT} has ended`
    : `${subject} work${s} again`;
}

/** How refused tokens work again, when all tokens are refused, before or after the date. */
function refusedWords(facts: HolderFacts, due: LetterStage): string {
  const [they, are] = isOne(facts) ? ['1 token of this app', 'is'] : [`${tokens(facts)} of this app`, 'are'];
  const isAlone = isBridgeAlone(facts.app);
  const again = againWords(isOne(facts) ? 'it' : 'they', isAlone);
  const mended = `${they} ${are} not connected to the new API and ${are} refused. Connect the app once, and ${again}.`;
  if (due.milestone !== 'sunset') {
    const isUnchanged = !isAlone && lostEndpoints(facts).length === 0;
    return isUnchanged ? `${mended} The app itself needs no change.` : mended;
  }
  return `${mended} On the day the old API ends, it ends ${endsFor(appDateOf(facts.app, 'sunset'))}, connected or not: please ask whoever makes this app to move it to the new API before that.`;
}

/** Says that some of the tokens are refused already, before any date. */
function someRefused(facts: HolderFacts, { refused, milestone }: LetterStage): string {
  if (refused === 0 || areRefused(facts) || hasEnded(facts)) return '';
  const [are, they] = refused === 1 ? ['is', 'it works'] : ['are', 'they work'];
  const them = milestone === 'retirement' ? 'them' : `the ${tokens(facts)} that are not connected`;
  return ` ${letterNumberWords(refused)} of ${them} ${are} refused already: once the app is connected, ${they} again.`;
}

/** A token that is connected works on, and turning the app off would end that one too. */
const CONNECTED_BESIDE =
  'Another token of it is connected and goes on. If you do not need the one that is not connected, there is nothing to do. If you do need it, connect the app';
const TURN_OFF =
  'If you do not need it, turn it off: nobody can use it then. If you do need it, connect the app instead';

function unusedWords(facts: HolderFacts): string {
  const { reader } = facts.app;
  const end = endOf(facts);
  if (hasEnded(facts)) return 'The old API has ended, so it is of no use any more. There is nothing to do.';
  const choice = isBesideConnected(facts) ? CONNECTED_BESIDE : TURN_OFF;
  // No connection works after the sunset.
  if (areRefused(facts) || end?.milestone !== 'retirement' || end.at <= reader.now) return `${choice}.`;
  const stops = `${stopWords(end.at, reader)} (${letterDayWords(end.at, reader)})`;
  return `${choice}: otherwise it ${stops}.`;
}

const withoutDate = (facts: HolderFacts) =>
  `${tokens(facts)} of this app ${isOne(facts) ? 'is' : 'are'} not connected to the new API. Connect the app once, so that it keeps working.`;

/**
 * The effect of the date of the reminder. Without a date of its own, the reminder takes the next date, or the last
 * date.
 */
function dateWords(facts: HolderFacts, due: LetterStage): string {
  const { reader } = facts.app;
  const end = endOf(facts);
  const { milestone = end?.milestone, at = end?.at ?? Infinity } = due;
  if (milestone === undefined) return withoutDate(facts);
  const isPast = at <= reader.now;
  if (milestone === 'retirement') return retirementWords(facts, isPast);
  return isPast ? SUNSET_PAST : sunsetAhead(facts);
}

function diedWords(facts: HolderFacts, due: LetterStage): string {
  if (hasEnded(facts)) return SUNSET_PAST;
  const its = hasWorkingBeside(due) ? 'Calls of that connection' : 'Its calls';
  const again = isBridgeAlone(facts.app) ? againWords('it', true) : 'they are answered again';
  return `${its} are refused. Connect it once more and ${again}.`;
}

function explanationOf(facts: HolderFacts, due: LetterStage): string {
  const kind = reminderKindOf(due, facts.app.reader);
  if (kind === 'unused') return unusedWords(facts);
  if (kind === 'died') return diedWords(facts, due);
  const isMended = kind === 'refused' || (kind === 'woken' && areRefused(facts) && !hasEnded(facts));
  return isMended ? refusedWords(facts, due) : `${dateWords(facts, due)}${someRefused(facts, due)}`;
}

/** A note about the sunset, when the mail is about something earlier. */
function laterWords(facts: HolderFacts, due: readonly LetterStage[]): LetterBlock[] {
  const { app } = facts;
  const { reader } = app;
  const sunset = appDateOf(app, 'sunset');
  const endsWith = areRefused(facts) ? undefined : endOf(facts)?.milestone;
  const isTold = due.some(({ milestone, stage }) =>
    stage === 'woken' ? endsWith === 'sunset' : milestone === 'sunset' && stage !== 'unused',
  );
  if (!sunset || sunset.at <= reader.now || isTold) return [];
  const text = `Later, on ${letterDayWords(sunset.at, reader)}, the old API ends ${endsFor(sunset)}, connected or not. Whoever makes this app has to move it to the new API by then.`;
  return [{ kind: 'note', text }];
}

function whyWords({ app: { reader }, part }: HolderFacts, due: LetterStage): string {
  // For tokens that were added lately, no use may be known, or an old one of some of them alone.
  const what = due.hasConnected ? 'a token of it' : 'the app';
  const inUse =
    part.lastUsedAt === undefined || reader.now - part.lastUsedAt > USED_WITHIN
      ? `${what} is not connected`
      : `${what} was in use in the last 30 days without being connected`;
  const why: Record<ReminderKind, () => string> = {
    died: () =>
      `${hasWorkingBeside(due) ? 'a connection of it' : 'its connection'} has ended, and the app was in use in the last 30 days.`,
    past: () => `the date has come, and ${inUse}.`,
    refused: () => `its calls are refused now, and ${inUse}.`,
    ahead: () => {
      const days = daysUntil(due.at ?? 0, reader);
      const left = days === 0 ? 'the date is today' : `the date is ${letterCountWords(days, 'day')} away`;
      return `${left}, and ${inUse}.`;
    },
    waits: () => `${inUse}.`,
    woken: () => 'it was used again after at least 30 days without a call.',
    unused: () =>
      `${due.hasConnected ? 'a token of it' : 'it'} is not connected and was not used in the last 30 days. This is the only mail about that.`,
  };
  return `Why you get this: ${due.isAsked ? ASKED : why[reminderKindOf(due, reader)]()}`;
}

async function buttons(facts: HolderFacts, kind: ReminderKind): Promise<LetterBlock[]> {
  const { app, isUnproven } = facts;
  const { name, clientId, links } = app;
  const to = (aim: 'connect' | 'revoke' | 'app') => links.to(aim, clientId, isUnproven);
  if (hasEnded(facts))
    return [{ kind: 'button', isQuiet: true, link: { label: 'See the app', href: await to('app') } }];
  const connect = { label: `Connect “${name}”`, href: await to('connect') };
  if (kind !== 'unused') return [{ kind: 'button', isQuiet: false, link: connect }];
  if (isBesideConnected(facts)) return [{ kind: 'button', isQuiet: true, link: connect }];
  return [
    { kind: 'button', isQuiet: false, link: { label: 'Turn it off now', href: await to('revoke') } },
    { kind: 'button', isQuiet: true, link: connect },
  ];
}

/** The tokens are refused, by whatever cause: a mail warns of that once. */
const REFUSED_KINDS: readonly ReminderKind[] = ['died', 'past', 'refused'];

/** Whether the warning of the chief reminder says the warning of another one too. */
function isSaidBy({ app: { reader } }: HolderFacts, chief: LetterStage, one: LetterStage): boolean {
  return one !== chief && [chief, one].every((each) => REFUSED_KINDS.includes(reminderKindOf(each, reader)));
}

const ENDINGS_MAX = 3;

/** How the reader knows the tokens again; nothing where their characters are not known. */
function endingBlocks({ endings, part }: HolderFacts): LetterBlock[] {
  if (endings.length === 0) return [];
  const shown = endings.slice(0, ENDINGS_MAX).map(plainWords);
  const more = part.waiting - shown.length;
  const text =
    shown.length === 1 && more <= 0
      ? `The token ends with ${shown.join()}.`
      : `The tokens end with ${shown.join(', ')}${more > 0 ? ` and ${letterNumberWords(more)} more` : ''}.`;
  return [{ kind: 'note', text }];
}

/** The blocks of one app for the holder of its tokens. */
export async function holderBlocks(facts: HolderFacts): Promise<LetterBlock[]> {
  const { app, isUnproven } = facts;
  const due = byReminderUrgency(facts.due, app.reader);
  const [chief] = due;
  if (!chief) return [];
  const kind = reminderKindOf(chief, app.reader);
  return [
    ...warnings(due.filter((one) => !isSaidBy(facts, chief, one)).map((one) => statusOf(facts, one))),
    { kind: 'text', text: explanationOf(facts, chief) },
    ...(await buttons(facts, kind)),
    ...(app.links.isProof(isUnproven) ? [SIGN_IN] : []),
    ...endingBlocks(facts),
    ...lastUseBlocks(facts),
    ...lostCalls(facts),
    ...laterWords(facts, due),
    ...extensionBlocks(app),
    ...(kind === 'ahead' || kind === 'refused' || kind === 'woken' ? brownoutBlocks(app) : []),
    { kind: 'note', text: whyWords(facts, chief) },
  ];
}
