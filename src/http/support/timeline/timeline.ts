import type { Request } from 'express';
import type { ShownEvent } from '../../../domain/support/timeline.ts';
import { timelineLine } from './timeline-words.ts';

/** The history on a page, fifty entries at a time. */

/** The position in the address: the page shows the entries before this one. */
export function beforeIn(req: Request): number | undefined {
  const before = Number(req.query['before']);
  return Number.isSafeInteger(before) && before > 0 ? before : undefined;
}

interface Page {
  events: readonly ShownEvent[];
  before: number | undefined;
  names: ReadonlyMap<string, string>;
}

/** The data for the template `support-timeline`. */
export function shownTimeline(
  page: Page,
  { path, at, holderId }: { path: string; at: number | undefined; holderId?: string | undefined },
) {
  const readers = { names: page.names, holderId };
  return {
    lines: page.events.map((event) => timelineLine(event, readers)),
    older: page.before === undefined ? undefined : `${path}?before=${page.before}#history`,
    newest: at === undefined ? undefined : `${path}#history`,
  };
}
