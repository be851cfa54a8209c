import { STANDING_WORDS } from '../../tokens/standing/words.ts';
import type { LetterContent, OtherApp } from './content.ts';
import { letterCountWords, type LetterReader } from './moments.ts';
import { plainName } from './plain.ts';
import {
  byReminderUrgency,
  endingWords,
  hasWorkingBeside,
  isOfPart,
  type ReminderKind,
  reminderKindOf,
  stopWords,
  type LetterStage,
} from './stages.ts';

/** The apps without a card in a mail: one row for each of the first 40, and the number of the rest. */

export const ROWS_MAX = 40;

const STOPPED = STANDING_WORDS.stopped.headline;

function stopping(due: LetterStage, reader: LetterReader): string {
  const { role, milestone, at = 0 } = due;
  if (isOfPart(due)) return `a part of it ${stopWords(at, reader)}`;
  return role === 'holder' || milestone === 'sunset' ? stopWords(at, reader) : endingWords(due, at, reader);
}

function diedWords(due: LetterStage): string {
  if (hasWorkingBeside(due)) return 'a connection has ended, connect it again';
  return due.isOver ? STOPPED : `${STOPPED}, connect it again`;
}

function wordsOf(due: LetterStage, reader: LetterReader): string {
  const words: Record<ReminderKind, () => string> = {
    died: () => diedWords(due),
    past: () => stopping(due, reader),
    refused: () =>
      due.role === 'owner'
        ? `${letterCountWords(due.refused, 'token')} of its users ${due.refused === 1 ? 'is' : 'are'} refused now`
        : `${due.hasConnected ? 'a part of it ' : ''}${STANDING_WORDS.refused.headline}, connect it`,
    ahead: () => stopping(due, reader),
    waits: () => `${due.hasConnected ? 'a part of it ' : ''}waits to be connected`,
    woken: () =>
      `${due.hasConnected ? 'a token of it ' : ''}is in use again${due.isOver ? '' : ', connect it'}`,
    unused: () =>
      due.role === 'owner' ? 'its tokens seem not to be used any more' : 'has a token that seems not needed',
  };
  return words[reminderKindOf(due, reader)]();
}

/**
 * The rows for apps, the most urgent app first. `apps` holds the due reminders of each app; `page` is the page with
 * all apps.
 */
export function otherApps(
  apps: ReadonlyArray<readonly LetterStage[]>,
  { reader, page }: { reader: LetterReader; page: string },
): Pick<LetterContent, 'others' | 'more'> {
  if (apps.length === 0) return { others: [] };
  const others = apps.slice(0, ROWS_MAX).flatMap((own): OtherApp[] => {
    const [chief] = byReminderUrgency(own, reader);
    if (!chief) return [];
    const name = plainName(chief.part.appName, chief.clientId);
    return [{ name: `“${name}”`, words: wordsOf(chief, reader) }];
  });
  const rest = apps.length - ROWS_MAX;
  const text = rest > 0 ? `and ${letterCountWords(rest, 'more app')}` : 'You find them with all your apps.';
  return { others, more: { text, link: { label: 'See all your apps', href: page } } };
}
