import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../log/logger.ts';
import { ALARM_KINDS, alarmKindOf } from './alarm-kinds.ts';

/** Counts the alarms that a logger writes. The returned function ends the counting. */
export type AlarmMetrics = (logger: Logger) => () => void;

/** Counts alarms by name. Every series begins at zero: a rule sees the first alarm only then. */
export function createAlarmMetrics(registry: Registry): AlarmMetrics {
  const alarms = new Counter({
    name: 'grantbridge_alarms_total',
    help: 'Log lines with ALARM.',
    labelNames: ['alarm'],
    registers: [registry],
  });
  for (const alarm of ALARM_KINDS) alarms.inc({ alarm }, 0);
  const note = ({ message }: { message?: unknown }) => {
    const alarm = typeof message === 'string' ? alarmKindOf(message) : undefined;
    if (alarm !== undefined) alarms.inc({ alarm });
  };
  return (logger) => {
    logger.on('data', note);
    return () => void logger.off('data', note);
  };
}
