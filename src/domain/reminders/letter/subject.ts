import { countWords, dayWords, inDays, type Reader } from './moments.ts';
import { plainName } from './plain.ts';
import {
  byUrgency,
  hasWorkingBeside,
  isOfPart,
  type Kind,
  kindOf,
  stopWords,
  takenOf,
  type Told,
  waitingOf,
} from './stages.ts';

/** The subject line: which app stops, and in how many days. */

const nameOf = ({ part, clientId }: Told) => `“${plainName(part.appName, clientId)}”`;

/** The most urgent reminder of each app, the most urgent app first. */
function chiefs(due: readonly Told[], reader: Reader): Told[] {
  const apps = new Map<string, Told>();
  for (const one of byUrgency(due, reader)) if (!apps.has(one.clientId)) apps.set(one.clientId, one);
  return [...apps.values()];
}

const tokensOf = (due: Told) => countWords(waitingOf(due), 'token');
const isMany = (due: Told) => waitingOf(due) !== 1;

/** What stops: the app, or for an owner the waiting tokens of the app's users. */
function stopping(due: Told, reader: Reader): string {
  const { part, at = 0, milestone } = due;
  const day = `(${dayWords(at, reader)})`;
  if (isOfPart(due)) return `${nameOf(due)}: ${tokensOf(due)} ${stopWords(at, reader, isMany(due))} ${day}`;
  if (part.role === 'holder' || milestone === 'sunset')
    return `${nameOf(due)} ${stopWords(at, reader)} ${day}`;
  const tokens = takenOf(due);
  const what = tokens === 0 ? 'some calls' : countWords(tokens, 'token');
  return `${nameOf(due)}: ${what} ${stopWords(at, reader, tokens !== 1)} ${day}`;
}

function refusedWords(due: Told): string {
  if (due.hasConnected)
    return `${nameOf(due)}: ${tokensOf(due)} ${isMany(due) ? 'are refused now: connect them' : 'is refused now: connect it'}`;
  if (due.role === 'holder') return `${nameOf(due)} is refused now: connect it`;
  return `${nameOf(due)}: ${countWords(due.refused, 'token')} ${due.refused === 1 ? 'is' : 'are'} refused now`;
}

function waitingWords(due: Told): string {
  if (due.part.role === 'holder') return `${nameOf(due)} waits to be connected`;
  const { waiting } = due.part.tokens;
  return `${nameOf(due)}: ${countWords(waiting, 'token')} ${waiting === 1 ? 'waits' : 'wait'} to be connected`;
}

/** After the sunset no connection helps. */
const advice = (due: readonly Told[], words: string) => (due.some(({ isOver }) => isOver) ? '' : words);

function diedWords(due: Told): string {
  if (hasWorkingBeside(due)) return `${nameOf(due)}: a connection has ended, connect it again`;
  return `${nameOf(due)} has stopped${advice([due], ': connect it again')}`;
}

function ofOne(due: Told, reader: Reader): string {
  const name = nameOf(due);
  const words: Record<Kind, () => string> = {
    died: () => diedWords(due),
    past: () => stopping(due, reader),
    refused: () => refusedWords(due),
    ahead: () => stopping(due, reader),
    waits: () => waitingWords(due),
    woken: () => `${name} is in use again${advice([due], ': connect it')}`,
    unused: () =>
      due.role === 'owner'
        ? `${name} seems not to be used any more`
        : `${name} uses a token that you seem not to need`,
  };
  return words[kindOf(due, reader)]();
}

function stopOfMany(apps: readonly Told[], reader: Reader): string {
  const dates = apps.flatMap(({ at }) => at ?? []);
  const first = Math.min(...dates);
  const when = `${inDays(first, reader)} (${dayWords(first, reader)})`;
  const isSame = dates.every((at) => dayWords(at, reader) === dayWords(first, reader));
  return `${apps.length} apps stop working${isSame ? '' : ', the first'} ${when}`;
}

function ofMany(apps: readonly Told[], reader: Reader): string {
  const [first] = apps;
  if (!first) return 'Your apps';
  const words: Record<Kind, () => string> = {
    died: () => `${apps.length} apps have stopped${advice(apps, ': connect them again')}`,
    past: () => `${apps.length} apps have stopped working`,
    refused: () =>
      apps.every(({ role }) => role === 'holder')
        ? `${apps.length} apps are refused now: connect them`
        : `${apps.length} apps have tokens that are refused now`,
    ahead: () => stopOfMany(apps, reader),
    waits: () => `${apps.length} apps wait to be connected`,
    woken: () => `${apps.length} apps are in use again${advice(apps, ': connect them')}`,
    unused: () =>
      apps.every(({ role }) => role === 'holder')
        ? `${apps.length} apps use tokens that you seem not to need`
        : `${apps.length} apps seem not to be used any more`,
  };
  return words[kindOf(first, reader)]();
}

/** One line for all due reminders: the most urgent kind in words, and the number of the other apps. */
export function subjectOf(due: readonly Told[], reader: Reader): string {
  const apps = chiefs(due, reader);
  const [first] = apps;
  if (!first) return 'Your apps';
  const alike = apps.filter((one) => kindOf(one, reader) === kindOf(first, reader));
  const said = alike.length === 1 ? ofOne(first, reader) : ofMany(alike, reader);
  const rest = apps.length - alike.length;
  return rest === 0 ? said : `${said}, and ${rest} more ${rest === 1 ? 'app' : 'apps'} to look at`;
}
