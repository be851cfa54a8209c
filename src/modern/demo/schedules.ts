import type { DayOfWeek, ScheduleRecord } from '../main-api/directory.ts';

const days: DayOfWeek[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** Seven rows, mon to sun, as the real service always sends. A day that `times` does not name has no times. */
export function weekly(times: Partial<Record<DayOfWeek, string[]>>): ScheduleRecord[] {
  return days.map((day) => ({ day, times: times[day] ?? [], paused: false }));
}

/** The same times from Monday to Friday, and other times (or no times) at the weekend. */
export function workweek(times: string[], weekend: string[] = []): ScheduleRecord[] {
  return weekly({ mon: times, tue: times, wed: times, thu: times, fri: times, sat: weekend, sun: weekend });
}
