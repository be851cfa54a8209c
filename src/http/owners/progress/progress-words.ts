import type { ProgressDay } from '../../../domain/progress/progress-of.ts';
import { formatNumber, type Sentence } from '../../wording/words.ts';
import { type AppLifecycle, oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { dateLines } from '../../wording/dates/lines.ts';

/** The progress of apps in words. */

/** The effect of the retirement or the sunset on the waiting tokens, before or after the date. */
function untilWords(asOf: AppLifecycle, waiting: number): Sentence {
  const [they, They] = waiting === 1 ? ['it is', 'It is'] : ['they are', 'They are'];
  const noneWorks = waiting === 1 ? 'it does not work until it is' : 'none of them works until it is';
  if (oldApiStatusOf(asOf).phase === 'ended') return ['The old API has ended: connecting helps no more.'];
  if (!asOf.hasBackend) return [`${They} refused until connected.`];
  const retirement = dateLines(asOf).find(({ milestone }) => milestone === 'retirement');
  if (!retirement) return ['No retirement date is set yet.'];
  if (!retirement.left) return ['Since ', retirement.at, ` ${they} refused until connected.`];
  // Waiting tokens that the old API never knew are refused already.
  return ['The old API retires ', retirement.left, `. From then on ${noneWorks} connected.`];
}

/** A sentence or two, such as `12 of 40 tokens are connected or moved; 28 are not connected.` */
export function progressWords(
  { mapped, waiting, migrated }: Pick<ProgressDay, 'mapped' | 'waiting' | 'migrated'>,
  asOf: AppLifecycle,
): Sentence {
  const all = mapped + waiting + migrated;
  if (all === 0) return ['No token was in use at the last count.'];
  if (waiting === 0)
    return [
      all === 1
        ? 'The one token is connected or moved. Nothing waits.'
        : `All ${formatNumber(all)} tokens are connected or moved. Nothing waits.`,
    ];
  const done = `${formatNumber(mapped + migrated)} of ${formatNumber(all)} ${all === 1 ? 'token' : 'tokens'} ${mapped + migrated === 1 ? 'is' : 'are'} connected or moved`;
  return [
    `${done}; ${formatNumber(waiting)} ${waiting === 1 ? 'is' : 'are'} not connected. `,
    ...untilWords(asOf, waiting),
  ];
}
