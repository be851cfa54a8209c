import type { RequestHandler, Router } from 'express';
import { callersOf } from '../../../domain/usage/callers.ts';
import { callsOf } from '../../../domain/usage/calls-of.ts';
import { callDaysOf } from '../../../domain/usage/calls-per-day.ts';
import { type CountedDays, gapWords } from '../../../domain/usage/counted-days.ts';
import { callsMade } from '../../../domain/new-calls/calls-made.ts';
import { areLanguagesKnown, languagesByUse } from '../../../domain/new-calls/program-language.ts';
import type { OldCallName } from '../../../domain/old-calls/old-calls.ts';
import { underHead } from '../head/app-head.ts';
import { seenApp } from '../owned-app.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { addressesIn } from '../../migrate/addresses.ts';
import { shownCalls } from '../../migrate/shown-calls.ts';
import { wantedFirst, wantedLanguage } from '../../migrate/wanted-language.ts';

/**
 * GET /apps/:clientId/new-calls: the old calls beside the new calls, for the owner of an app. The calls that the app
 * makes come first.
 */

/** The days whose calls are shown. */
const DAYS = 90;

/** The bucket for the calls of a token that called very many addresses on one day. */
const UNNAMED = 'other';

type ShownCall = ReturnType<typeof shownCalls>['calls'][number];

/** The calls that the app makes, the most frequent first, and the calls that it does not make. */
function byUse(calls: readonly ShownCall[], made: ReadonlyMap<OldCallName, number>) {
  const counted = calls.map((call) => ({ ...call, calls: made.get(call.name) ?? 0 }));
  return {
    made: counted.filter(({ calls: n }) => n > 0).toSorted((one, other) => other.calls - one.calls),
    others: counted.filter(({ calls: n }) => n === 0),
  };
}

/** Whether further calls of these days may be unknown, and why. */
const knownOf = (counted: CountedDays, perDay: ReadonlyArray<{ endpoint: string }>) => ({
  isPartial: counted.isPartial || perDay.some(({ endpoint }) => endpoint === UNNAMED),
  gap: gapWords(counted),
});

const totalOf = (perDay: ReadonlyArray<{ calls: number }>) =>
  perDay.reduce((sum, { calls }) => sum + calls, 0);

function showNewCalls(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const seen = await seenApp(context, req);
    const { app } = seen;
    const asked = await callersOf(context, { clientId: app.client_id });
    const { kinds } = await callsOf(context, asked.who, { days: DAYS });
    // `kinds` may leave some kinds of calls out. The calls by day are complete.
    const perDay = await callDaysOf(context, asked.who, { days: DAYS });
    const languages = wantedFirst(req, languagesByUse(kinds));
    const { calls, ...shown } = shownCalls({ addresses: addressesIn(context), languages });
    frame.page(res, 'app-new-calls', {
      title: `The old calls of “${app.name}” beside the new ones`,
      ...(await underHead(context, seen, 'new-calls')),
      here: `/apps/${app.client_id}/new-calls`,
      days: DAYS,
      ...knownOf(asked.within(DAYS), perDay),
      isFirstByUse: wantedLanguage(req) === undefined,
      isLanguageKnown: areLanguagesKnown(kinds, totalOf(perDay)),
      settingsUrl: context.settings.modernSettingsUrl,
      ...byUse(calls, callsMade(perDay)),
      ...shown,
    });
  };
}

/** Adds /apps/:clientId/new-calls. */
export function newCallsRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/:clientId/new-calls', frame.requirePerson, showNewCalls(frame));
}
