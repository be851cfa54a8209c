import { LEAKED_STAGE } from '../../store/reminders/leak-readers.ts';
import { OLD_CALL_NAMES } from '../old-calls/old-calls.ts';
import { AGAIN } from '../reminders/asked.ts';
import { EVENT_STAGES } from '../reminders/letter/stages.ts';
import { WEBHOOK_EVENTS } from '../webhooks/events.ts';
import type { MetricsDeps } from './deps.ts';

/** The stages that are no number of days before a date. */
const NAMED_STAGES = [...EVENT_STAGES, AGAIN, LEAKED_STAGE];

/** Every stage of which a mail may tell. */
export const knownStages = ({ settings }: Pick<MetricsDeps, 'settings'>): string[] => [
  ...settings.reminderDays.map(String),
  ...NAMED_STAGES,
];

/** Every other address of the old API. */
const OTHER_CALLS = 'other';

/**
 * Begins the series whose labels come from tables of the domain: Prometheus sees no rise in the first value of a series, so the
 * first failure would be seen by no rule and no panel.
 */
export function beginSeries({ metrics, settings }: Pick<MetricsDeps, 'metrics' | 'settings'>): void {
  metrics.calls.begin([...OLD_CALL_NAMES, OTHER_CALLS]);
  metrics.webhooks.begin(['test', ...Object.values(WEBHOOK_EVENTS).flat()]);
  metrics.mails.begin(knownStages({ settings }));
}
