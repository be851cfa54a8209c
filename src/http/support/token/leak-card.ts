import type { Leak } from '../../../domain/support/describe-mapping.ts';
import { whoWords } from '../timeline/timeline-words.ts';

/** What is shown of a token that was reported as leaked. A place is a stranger's text, and never a link. */
export function leakCard(leak: Leak | undefined) {
  if (!leak) return undefined;
  const { reportedAt, endsAt, endedAt, places } = leak;
  const readers = { names: new Map<string, string>(), holderId: undefined };
  return {
    reportedAt,
    endsAt,
    endedAt,
    places: places.map(({ place, at, by }) => ({ place, at, by: whoWords(by, readers).words })),
  };
}
