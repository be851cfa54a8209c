import type { ProgressDay } from '../../domain/progress/progress-of.ts';
import { STATE_COLOURS } from '../wording/state-colours.ts';
import type { Series } from './daily-chart.ts';

/**
 * The movement of tokens as chart series, the same in every chart. Finished states come first, which puts them at the
 * bottom of bars.
 */
export function progressSeries(days: readonly ProgressDay[]): Series[] {
  return [
    {
      label: 'Moved to the new API',
      kind: STATE_COLOURS.migrated,
      values: days.map(({ migrated }) => migrated),
    },
    { label: 'Connected', kind: STATE_COLOURS.active, values: days.map(({ mapped }) => mapped) },
    { label: 'Waiting', kind: STATE_COLOURS.unmapped, values: days.map(({ waiting }) => waiting) },
  ];
}
