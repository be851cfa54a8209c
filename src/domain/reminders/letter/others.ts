import type { Line } from './content.ts';
import { countWords, type Reader } from './moments.ts';
import { plainName } from './plain.ts';
import { byUrgency, endingWords, isOfPart, type Kind, kindOf, stopWords, type Told } from './stages.ts';

/** The apps without a card in a mail: one line for each of the first 100, and the number of the rest. */

const LINES_MAX = 100;

function stopping(due: Told, reader: Reader): string {
  const { role, milestone, at = 0 } = due;
  if (isOfPart(due)) return `a part of it ${stopWords(at, reader)}`;
  return role === 'holder' || milestone === 'sunset' ? stopWords(at, reader) : endingWords(due, at, reader);
}

function wordsOf(due: Told, reader: Reader): string {
  const words: Record<Kind, () => string> = {
    died: () => (due.isOver ? 'has stopped working' : 'has stopped working, connect it again'),
    past: () => stopping(due, reader),
    refused: () =>
      due.role === 'owner'
        ? `${countWords(due.refused, 'token')} of its users ${due.refused === 1 ? 'is' : 'are'} refused now`
        : `${due.hasConnected ? 'a part of it ' : ''}is refused now, connect it`,
    ahead: () => stopping(due, reader),
    waits: () => 'waits to be connected',
    woken: () => (due.isOver ? 'is in use again' : 'is in use again, connect it'),
    unused: () =>
      due.role === 'owner' ? 'seems not to be used any more' : 'has a token that seems not needed',
  };
  return words[kindOf(due, reader)]();
}

/**
 * The lines for apps, the most urgent app first. `apps` holds the due reminders of each app; `page` is the page with
 * all apps.
 */
export function otherLines(
  apps: ReadonlyArray<readonly Told[]>,
  { reader, page }: { reader: Reader; page: string },
): Line[] {
  if (apps.length === 0) return [];
  const lines = apps.slice(0, LINES_MAX).flatMap((own): Line[] => {
    const [chief] = byUrgency(own, reader);
    if (!chief) return [];
    const name = plainName(chief.part.appName, chief.clientId);
    return [{ text: `“${name}”: ${wordsOf(chief, reader)}` }];
  });
  const more = apps.length - LINES_MAX;
  const text = more > 0 ? `and ${countWords(more, 'more app')}` : 'You find them with all your apps.';
  return [...lines, { text, link: { label: 'See all your apps', href: page } }];
}
