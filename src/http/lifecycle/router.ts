import { type RequestHandler, Router } from 'express';
import type { HttpLifecycleDeps } from './deps.ts';
import {
  type BrownoutState,
  describeLifecycle,
  type PublicBrownout,
  type PublicLifecycle,
} from '../../domain/lifecycle/changes/describe.ts';
import { changesCalls, type DateName } from '../../domain/lifecycle/lifecycle.ts';
import type { PageRenderer } from '../../shared/pages.ts';
import { daysLeft, daysToDate, isSoon } from '../wording/days-left.ts';
import { rehearsedThen, rehearsedWords } from '../wording/dates/words.ts';
import { sendPage } from '../pages/page-headers.ts';
import { LOCAL_TIMES } from '../wording/words.ts';
import { onlyRead } from '../pages/only-read.ts';
import { bodyAfter, HEADINGS, meaningOf, OVERTAKEN, STATUSES } from '../wording/dates/meanings.ts';

/**
 * GET /lifecycle and /lifecycle.json: every common date and brownout, for everybody (docs/decisions/0012). Neither
 * shows the extension of an app or the rehearsal of an owner.
 */

const NAMES = ['deprecation', 'retirement', 'sunset'] as const;

const iso = (time: number) => new Date(time).toISOString();

const hasBackend = ({ oldBackend }: HttpLifecycleDeps) => oldBackend !== undefined;

function dateJson(context: HttpLifecycleDeps, name: DateName, at: number | undefined) {
  return at === undefined ? null : { at: iso(at), text: meaningOf(name, hasBackend(context)) };
}

function brownoutJson({ id, rehearses, startsAt, endsAt, state, text }: PublicBrownout) {
  const window = { starts_at: iso(startsAt), ends_at: iso(endsAt) };
  return { id, rehearses, ...window, state, text, status: STATUSES[rehearses] };
}

function lifecycleJson(context: HttpLifecycleDeps, { now, dates, brownouts }: PublicLifecycle) {
  return {
    now: iso(now),
    deprecation: dateJson(context, 'deprecation', dates.deprecation),
    retirement: dateJson(context, 'retirement', dates.retirement),
    sunset: dateJson(context, 'sunset', dates.sunset),
    brownouts: brownouts.map(brownoutJson),
    documentation: `${context.settings.publicUrl}/lifecycle`,
  };
}

/** For programs of any origin: the answer holds nothing private. */
function sendLifecycle(context: HttpLifecycleDeps): RequestHandler {
  return async (_req, res) => {
    const described = await describeLifecycle(context);
    res.set({
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': 'public, max-age=60',
    });
    res.json(lifecycleJson(context, described));
  };
}

const hasEnded = ({ dates, now }: PublicLifecycle) => (dates.sunset ?? Infinity) <= now;

/** The answer to a call from this date on. A deprecation changes no answer. */
function shownAnswer(context: HttpLifecycleDeps, name: DateName) {
  if (name === 'deprecation') return undefined;
  const { publicUrl } = context.settings;
  const isLater = changesCalls(name, hasBackend(context));
  return { status: STATUSES[name], body: bodyAfter(name, publicUrl), isLater };
}

/** The effect of a date. After the sunset the other dates have no meaning any more. */
function shownMeaning(context: HttpLifecycleDeps, described: PublicLifecycle, name: DateName) {
  if (name !== 'sunset' && hasEnded(described)) return { meaning: OVERTAKEN, kind: '' };
  const { dates, now } = described;
  const [at, answer] = [dates[name] ?? now, shownAnswer(context, name)];
  // No countdown to a day on which no answer changes here.
  const meaning = meaningOf(name, hasBackend(context));
  if (!answer) return { meaning, left: daysLeft(at, now), kind: '' };
  if (!answer.isLater) return { meaning, left: undefined, kind: '', answer };
  return { meaning, left: daysToDate(at, now), kind: isSoon(at, now) ? 'warning' : '', answer };
}

/** The card of a date; empty where the date is not set. */
function shownDate(context: HttpLifecycleDeps, described: PublicLifecycle, name: DateName) {
  const at = described.dates[name];
  if (at === undefined) return [];
  const hasCome = at <= described.now;
  return [{ name, heading: HEADINGS[name], at, isPast: hasCome, ...shownMeaning(context, described, name) }];
}

const STATES: Record<BrownoutState, { word: string; kind: string }> = {
  running: { word: 'now', kind: 'warning' },
  planned: { word: 'planned', kind: '' },
  over: { word: 'over', kind: '' },
  cancelled: { word: 'taken back', kind: '' },
};

const isPast = (state: BrownoutState) => state === 'over' || state === 'cancelled';

function shownBrownout(
  context: HttpLifecycleDeps,
  { rehearses, startsAt, endsAt, state, text }: PublicBrownout,
) {
  const what = {
    rehearses: isPast(state)
      ? rehearsedThen(rehearses, state === 'over')
      : rehearsedWords(rehearses, hasBackend(context)),
    status: STATUSES[rehearses],
  };
  return { startsAt, endsAt, ...what, state: STATES[state], text };
}

/** Running brownouts first, then planned brownouts, then past brownouts with the newest first. */
function inOrder(brownouts: readonly PublicBrownout[]): PublicBrownout[] {
  const past = brownouts.filter(({ state }) => isPast(state));
  return [...brownouts.filter((one) => !past.includes(one)), ...past.toReversed()];
}

function showLifecycle(context: HttpLifecycleDeps, pages: PageRenderer): RequestHandler {
  const { publicUrl } = context.settings;
  return async (_req, res) => {
    const described = await describeLifecycle(context);
    const html = pages.render('lifecycle', {
      title: 'Dates of the old API',
      publicUrl,
      narrow: false,
      hasBackend: hasBackend(context),
      dates: NAMES.flatMap((name) => shownDate(context, described, name)),
      hasEnded: hasEnded(described),
      brownouts: inOrder(described.brownouts).map((one) => shownBrownout(context, one)),
      now: described.now,
      scripts: [LOCAL_TIMES],
    });
    sendPage(res, html, { hasScripts: true });
  };
}

/** Mounts both addresses, after the headers of pages. */
export function lifecycleRouter(context: HttpLifecycleDeps, pages: PageRenderer): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const others = onlyRead('It shows dates and takes nothing.');
  router.route('/lifecycle').get(showLifecycle(context, pages)).all(others);
  router.route('/lifecycle.json').get(sendLifecycle(context)).all(others);
  return router;
}
