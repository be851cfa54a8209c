import type { Request, Response } from 'express';
import { daysListed, listedDay, type ListedDay, nearestListed } from '../../../domain/support/ended/days.ts';
import { type EndedCount, endedOnDay, zoneOfReader } from '../../../domain/support/ended/ended-on-day.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { fullDayWords } from '../../charts/chart-words.ts';
import { PageError } from '../../pages/page-error.ts';
import { type PageShell } from '../../site/page-shell.ts';
import { readerOf, roleIn } from '../../site/reader.ts';
import { ENDS } from '../../../domain/tokens/standing/ends.ts';
import { seenBy } from '../desks/desk-pages.ts';
import { endedRow } from '../desks/desk-rows.ts';
import { endedWords, NOT_LISTED } from './ended-words.ts';

/**
 * /support/desks/died-today: the connections that ended today, or on another recent day (`?day=2026-11-21`). A day is a
 * day in the reader's time zone, or in the zone that the address names (`&zone=UTC`), so that a link shows everybody
 * the same list.
 */

const DESK = '/support/desks/died-today';

type Cause = keyof typeof ENDS;

type EndedListQuery = Pick<ListedDay, 'day' | 'zone'> & {
  cause?: Cause | undefined;
  after?: string | undefined;
};

/** The address of a day, and of a part of its list. */
export function endedAddress({ day, zone, cause, after }: EndedListQuery): string {
  const parts = { day, zone, ...(cause !== undefined && { cause }), ...(after !== undefined && { after }) };
  return `${DESK}?${new URLSearchParams(parts).toString()}`;
}

/** One parameter; '' where the parameter is repeated. */
function textOf(req: Request, name: string): string | undefined {
  const value = req.query[name];
  return value === undefined || typeof value === 'string' ? value : '';
}

/** @throws {PageError} where the day is not listed, or is not a day */
function dayIn(req: Request, own: string, now: number): ListedDay {
  const asked = { day: textOf(req, 'day'), zone: textOf(req, 'zone') ?? own };
  const found = listedDay(asked, now);
  if (typeof found === 'object') return found;
  const { status, title, reason } = NOT_LISTED[found];
  throw new PageError(status, title, {
    reason,
    next: 'Choose one of the days that are listed.',
    wayOn: { href: DESK, label: 'Connections that ended today' },
  });
}

function causeIn(req: Request): Cause | undefined {
  const name = textOf(req, 'cause');
  return Object.keys(ENDS).find((cause): cause is Cause => cause === name);
}

function causeLines(counts: ReadonlyMap<string, EndedCount>, { day, zone, cause: shown }: EndedListQuery) {
  return (Object.keys(ENDS) as Cause[]).map((cause) => ({
    label: ENDS[cause].label,
    ...(counts.get(cause) ?? { count: 0, isMore: false }),
    href: endedAddress({ day, zone, cause }),
    isShown: cause === shown,
  }));
}

const dayLink = (day: string | undefined, zone: string) =>
  day && { href: endedAddress({ day, zone }), label: fullDayWords(day) };

/** The links to other days, and to the same day in another time zone. */
function picker({ day, zone }: ListedDay, { own, now }: { own: string; now: number }) {
  const days = daysListed(zone, now);
  const place = days.indexOf(day);
  const zones = [...new Set([own, 'UTC'])].filter((name) => name !== zone);
  return {
    isToday: place === 0,
    days: days.map((one, ago) => ({
      href: endedAddress({ day: one, zone }),
      label: `${fullDayWords(one)}${ago === 0 ? ' (today)' : ago === 1 ? ' (yesterday)' : ''}`,
      isShown: one === day,
    })),
    today: dayLink(days[0], zone),
    yesterday: dayLink(days[1], zone),
    older: dayLink(days[place + 1], zone),
    newer: place > 0 ? dayLink(days[place - 1], zone) : undefined,
    zones: zones.map((name) => ({
      href: endedAddress({ day: nearestListed(day, { zone: name, now }), zone: name }),
      name,
    })),
  };
}

/** Shows one page of a day. */
export async function showEnded(frame: PageShell, req: Request, res: Response): Promise<void> {
  const { context } = frame;
  const now = context.clock.now();
  const own = await zoneOfReader(context, readerOf(req).id);
  const span = dayIn(req, own, now);
  const cause = causeIn(req);
  const list = await endedOnDay(context, { span, cause }, textOf(req, 'after'));
  const days = picker(span, { own, now });
  const words = endedWords(span, days);
  const seen = seenBy(context, roleIn(res) as StaffRole);
  frame.page(res, 'support-ended', {
    title: words.title,
    wide: true,
    words,
    ...list,
    rows: list.rows.map((row) => endedRow(row, seen)),
    causes: causeLines(list.causes, { ...span, cause }),
    cause: cause && ENDS[cause].label,
    all: endedAddress(span),
    first: endedAddress({ ...span, cause }),
    next: list.next && endedAddress({ ...span, cause, after: list.next }),
    days,
  });
}
