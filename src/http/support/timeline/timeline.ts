import type { Request } from 'express';
import { mayAct, type StaffRole } from '../../../domain/accounts/staff.ts';
import type { ShownEvent } from '../../../domain/support/timeline.ts';
import { type DeedLook, lookAtEntries } from '../../../domain/take-back/look.ts';
import { takeBackHref } from '../actions/act-take-back.ts';
import type { HttpSupportDeps } from '../deps.ts';
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

interface TimelinePlace {
  path: string;
  at: number | undefined;
  holderId?: string | undefined;
  holderIs?: string | undefined;
  role: StaffRole;
}

/** Whether an entry can be taken back, until when, or why not. */
function takeBackOf(look: DeedLook | undefined, role: StaffRole) {
  if (!look || look.isTakenBack) return undefined;
  const { whyNot, until, needs } = look;
  if (whyNot !== undefined) return { whyNot };
  return { href: mayAct(role, needs) ? takeBackHref(look) : undefined, until, needs };
}

/** The data for the template `support-timeline`. */
export async function shownTimeline(
  context: HttpSupportDeps,
  page: Page,
  { path, at, holderId, holderIs, role }: TimelinePlace,
) {
  const readers = { names: page.names, holderId, holderIs };
  const ids = page.events.map(({ id }) => id);
  const looks = await lookAtEntries(context, ids);
  return {
    lines: page.events.map((event) => ({
      ...timelineLine(event, readers),
      takeBack: takeBackOf(looks.get(event.id), role),
    })),
    older: page.before === undefined ? undefined : `${path}?before=${page.before}#history`,
    newest: at === undefined ? undefined : `${path}#history`,
  };
}
