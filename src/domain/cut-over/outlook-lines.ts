import { momentText } from '../../shared/moments.ts';
import type { LimitsDeps } from '../limits/deps.ts';
import { adviceWords, outlookWords, verdictWords } from './outlook-words.ts';
import type { Outlook } from './reckon.ts';

/** The figures of a cut-over as lines of text. */
export function outlookLines({ server }: Pick<LimitsDeps, 'server'>, outlooks: readonly Outlook[]): string[] {
  const reader = { time: momentText, sharedClientId: server.clientId };
  const advice = adviceWords(outlooks, server.clientId);
  return [
    ...outlooks.flatMap((outlook) => outlookWords(outlook, reader)),
    ...(outlooks.length > 0 ? [verdictWords(outlooks)] : []),
    ...(advice === undefined ? [] : [advice]),
  ];
}
