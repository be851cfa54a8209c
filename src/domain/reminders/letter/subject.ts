import { STANDING_WORDS } from '../../tokens/standing/words.ts';
import { letterCountWords, letterDayWords, inDays, type LetterReader } from './moments.ts';
import { plainName } from './plain.ts';
import {
  byReminderUrgency,
  hasWorkingBeside,
  isOfPart,
  type ReminderKind,
  reminderKindOf,
  stopWords,
  takenOf,
  type LetterStage,
  waitingOf,
} from './stages.ts';

/** The subject line: which app stops, and in how many days. */

const nameOf = ({ part, clientId }: LetterStage) => `“${plainName(part.appName, clientId)}”`;

/** The most urgent reminder of each app, the most urgent app first. */
function chiefs(due: readonly LetterStage[], reader: LetterReader): LetterStage[] {
  const apps = new Map<string, LetterStage>();
  for (const one of byReminderUrgency(due, reader)) if (!apps.has(one.clientId)) apps.set(one.clientId, one);
  return [...apps.values()];
}

const tokensOf = (due: LetterStage) => letterCountWords(waitingOf(due), 'token');
const isMany = (due: LetterStage) => waitingOf(due) !== 1;

/** The waiting tokens of a part that a date ends: those that are refused already end with no date. */
const endingOf = (due: LetterStage) => takenOf(due) || waitingOf(due);

/** What stops: the app, or for an owner the waiting tokens of the app's users. */
function stopping(due: LetterStage, reader: LetterReader): string {
  const { part, at = 0, milestone } = due;
  const day = `(${letterDayWords(at, reader)})`;
  if (isOfPart(due)) {
    const ending = endingOf(due);
    return `${nameOf(due)}: ${letterCountWords(ending, 'token')} ${stopWords(at, reader, ending !== 1)} ${day}`;
  }
  if (part.role === 'holder' || milestone === 'sunset')
    return `${nameOf(due)} ${stopWords(at, reader)} ${day}`;
  const tokens = takenOf(due);
  const what = tokens === 0 ? 'some calls' : letterCountWords(tokens, 'token');
  return `${nameOf(due)}: ${what} ${stopWords(at, reader, tokens !== 1)} ${day}`;
}

function refusedWords(due: LetterStage): string {
  if (due.hasConnected)
    return `${nameOf(due)}: ${tokensOf(due)} ${isMany(due) ? 'are refused now: connect them' : 'is refused now: connect it'}`;
  if (due.role === 'holder') return `${nameOf(due)} ${STANDING_WORDS.refused.headline}: connect it`;
  return `${nameOf(due)}: ${letterCountWords(due.refused, 'token')} ${due.refused === 1 ? 'is' : 'are'} refused now`;
}

function waitingWords(due: LetterStage): string {
  if (due.hasConnected)
    return `${nameOf(due)}: ${tokensOf(due)} ${isMany(due) ? 'wait' : 'waits'} to be connected`;
  if (due.part.role === 'holder') return `${nameOf(due)} waits to be connected`;
  const { waiting } = due.part.tokens;
  return `${nameOf(due)}: ${letterCountWords(waiting, 'token')} ${waiting === 1 ? 'waits' : 'wait'} to be connected`;
}

/** After the sunset no connection helps. */
const advice = (due: readonly LetterStage[], words: string) =>
  due.some(({ isOver }) => isOver) ? '' : words;

function diedWords(due: LetterStage): string {
  if (hasWorkingBeside(due)) return `${nameOf(due)}: a connection has ended, connect it again`;
  return `${nameOf(due)} ${STANDING_WORDS.stopped.headline}${advice([due], ': connect it again')}`;
}

function ofOne(due: LetterStage, reader: LetterReader): string {
  const name = nameOf(due);
  const words: Record<ReminderKind, () => string> = {
    died: () => diedWords(due),
    past: () => stopping(due, reader),
    refused: () => refusedWords(due),
    ahead: () => stopping(due, reader),
    waits: () => waitingWords(due),
    woken: () =>
      `${name}${due.hasConnected ? ': a token of it' : ''} is in use again${advice([due], ': connect it')}`,
    unused: () =>
      due.role === 'owner'
        ? `${name}: its tokens seem not to be used any more`
        : `${name} uses a token that you seem not to need`,
  };
  return words[reminderKindOf(due, reader)]();
}

/** Whether what the reminder tells befalls the whole app, and not only some of its tokens or calls. */
function isOfWhole(due: LetterStage, kind: ReminderKind): boolean {
  if (kind === 'died') return !hasWorkingBeside(due);
  if (kind === 'refused' || kind === 'woken') return !due.hasConnected;
  return !isOfPart(due) && (due.part.role === 'holder' || due.milestone === 'sunset');
}

/** `3 apps`, or what of them, as the subject of a sentence. */
function appsWords(apps: readonly LetterStage[], kind: ReminderKind): string {
  const whole = apps.filter((due) => isOfWhole(due, kind)).length;
  if (whole === 0) return `Parts of ${apps.length} apps`;
  return whole === apps.length ? `${apps.length} apps` : `${apps.length} apps, or parts of them,`;
}

function unusedWords(apps: readonly LetterStage[]): string {
  const held = apps.filter(({ role }) => role === 'holder').length;
  if (held === apps.length) return `${held} apps use tokens that you seem not to need`;
  return `Tokens of ${apps.length} apps seem not to be used any more`;
}

function stopOfMany(apps: readonly LetterStage[], reader: LetterReader): string {
  const dates = apps.flatMap(({ at }) => at ?? []);
  const first = Math.min(...dates);
  const when = `${inDays(first, reader)} (${letterDayWords(first, reader)})`;
  const isSame = dates.every((at) => letterDayWords(at, reader) === letterDayWords(first, reader));
  return `${appsWords(apps, 'ahead')} stop working${isSame ? '' : ', the first'} ${when}`;
}

function ofMany(apps: readonly LetterStage[], reader: LetterReader): string {
  const [first] = apps;
  if (!first) return 'Your apps';
  const words: Record<ReminderKind, () => string> = {
    died: () => `${appsWords(apps, 'died')} have stopped working${advice(apps, ': connect them again')}`,
    past: () => `${appsWords(apps, 'past')} have stopped working`,
    refused: () =>
      apps.every(({ role }) => role === 'holder')
        ? `${appsWords(apps, 'refused')} are refused now: connect them`
        : `${apps.length} apps have tokens that are refused now`,
    ahead: () => stopOfMany(apps, reader),
    waits: () => `${appsWords(apps, 'waits')} wait to be connected`,
    woken: () => `${appsWords(apps, 'woken')} are in use again${advice(apps, ': connect them')}`,
    unused: () => unusedWords(apps),
  };
  return words[reminderKindOf(first, reader)]();
}

/** One line for all due reminders: the most urgent kind in words, and the number of the other apps. */
export function subjectOf(due: readonly LetterStage[], reader: LetterReader): string {
  const apps = chiefs(due, reader);
  const [first] = apps;
  if (!first) return 'Your apps';
  const alike = apps.filter((one) => reminderKindOf(one, reader) === reminderKindOf(first, reader));
  const said = alike.length === 1 ? ofOne(first, reader) : ofMany(alike, reader);
  const rest = apps.length - alike.length;
  return rest === 0 ? said : `${said}, and ${rest} more ${rest === 1 ? 'app' : 'apps'} to look at`;
}
