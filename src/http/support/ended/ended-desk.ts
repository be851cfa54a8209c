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
import { keyText, type PageKey } from '../../../shared/list-pages.ts';
import { readTable, type TableForm } from '../../tables/table-query.ts';
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
  app?: string | undefined;
  after?: PageKey | undefined;
  back?: PageKey | undefined;
};

/** The address of a day, and of a part of its list. */
export function endedAddress({ day, zone, cause, app, after, back }: EndedListQuery): string {
  const parts = { day, zone, cause, app, after: after && keyText(after), back: back && keyText(back) };
  const given = Object.entries(parts).filter((one): one is [string, string] => one[1] !== undefined);
  return `${DESK}?${new URLSearchParams(given).toString()}`;
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

/** The lists of causes and apps lead to each other: a cause of the app that is shown, an app of the cause. */
function causeLines(
  counts: ReadonlyMap<string, EndedCount>,
  { day, zone, cause: shown, app }: EndedListQuery,
) {
  return (Object.keys(ENDS) as Cause[]).map((cause) => ({
    label: ENDS[cause].label,
    ...(counts.get(cause) ?? { count: 0, isMore: false }),
    href: endedAddress({ day, zone, cause, app }),
    isShown: cause === shown,
  }));
}

/** At most so many apps are named. */
const APPS_SHOWN = 20;

type EndedApps = Awaited<ReturnType<typeof endedOnDay>>['apps'];

function appLines({ apps, isMore }: EndedApps, { day, zone, cause, app: shown }: EndedListQuery) {
  const lines = apps.map(({ client_id: app, name, n }) => ({
    label: name,
    count: n,
    isMore,
    href: endedAddress({ day, zone, cause, app }),
    isShown: app === shown,
  }));
  return {
    lines: lines.filter(({ isShown }, at) => at < APPS_SHOWN || isShown),
    more: Math.max(0, lines.length - APPS_SHOWN),
    isMore,
    shown: lines.find(({ isShown }) => isShown)?.label ?? shown,
  };
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

/** Pages alone: the causes and apps of the day are its tabs. */
const PAGES: TableForm<'all', 'newest'> = { tabs: ['all'], sortsOf: () => ['newest'] };

/** Shows one page of a day. */
export async function showEnded(frame: PageShell, req: Request, res: Response): Promise<void> {
  const { context } = frame;
  const now = context.clock.now();
  const own = await zoneOfReader(context, readerOf(req).id);
  const span = dayIn(req, own, now);
  const cause = causeIn(req);
  const app = textOf(req, 'app');
  const { position } = readTable(req, PAGES);
  const list = await endedOnDay(context, { span, cause, clientId: app }, position);
  const days = picker(span, { own, now });
  const words = endedWords(span, days);
  const seen = seenBy(context, roleIn(res) as StaffRole);
  frame.page(res, 'support-ended', {
    title: words.title,
    wide: true,
    words,
    ...list,
    rows: list.rows.map((row) => endedRow(row, seen)),
    causes: causeLines(list.causes, { ...span, cause, app }),
    apps: appLines(list.apps, { ...span, cause, app }),
    cause: cause && ENDS[cause].label,
    all: endedAddress(span),
    first: endedAddress({ ...span, cause, app }),
    previous: list.previous && endedAddress({ ...span, cause, app, back: list.previous }),
    next: list.next && endedAddress({ ...span, cause, app, after: list.next }),
    days,
  });
}
