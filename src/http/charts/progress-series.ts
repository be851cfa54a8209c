import type { ProgressDay } from '../../domain/progress/progress-of.ts';
import { STATE_COLOURS } from '../wording/state-colours.ts';
import type { Series } from './daily-chart.ts';

/** How tokens moved, as the series of every chart that shows it: what is done first, which is at the bottom of bars. */
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
