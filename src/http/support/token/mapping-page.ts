import type { Request, RequestHandler, Response, Router } from 'express';
import type { HttpSupportDeps } from '../deps.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { describeMapping, type MappingDescription } from '../../../domain/support/describe-mapping.ts';
import { timelineOfMapping } from '../../../domain/support/timeline.ts';
import { gapWords, noneWords } from '../../../domain/usage/counted-days.ts';
import { stackedBars } from '../../charts/charts.ts';
import { byKind, callLine } from '../../charts/call-charts.ts';
import { PageError } from '../../pages/page-error.ts';
import { type PageShell } from '../../site/page-shell.ts';
import { roleIn } from '../../site/reader.ts';
import { sourceWords } from '../../wording/token-words.ts';
import { takeBackOffers } from '../actions/act-take-back.ts';
import { leakCard } from './leak-card.ts';
import { pastCard } from './past-card.ts';
import { mailLines } from './mail-words.ts';
import { mappingActions, mappingGrant, mappingStanding, tokenDeed } from './mapping-facts.ts';
import { beforeIn, shownTimeline } from '../timeline/timeline.ts';
import { hintText, holderText, standingBadge } from './token-line.ts';
import { shownWrites } from './write-words.ts';

/** /support/mappings/:id: everything known about one token, first the standing of the token and the next step. */

/** At most this many rows of programs: a caller may send any name. */
const PROGRAMS_MAX = 20;

async function described({ context }: PageShell, req: Request): Promise<MappingDescription> {
  const found = await describeMapping(context, String(req.params['mappingId']));
  if (found) return found;
  throw new PageError(404, 'There is no such token', {
    reason: 'The address names a token that is not known here.',
    next: 'Check the address, or search for the token, the app or the e-mail address under “Search”.',
  });
}

function shownCalls({ calls }: MappingDescription) {
  const { days, perDay, kinds, isCut, counted, last } = calls;
  const chart = {
    id: 'calls',
    title: 'Calls of the last 30 days, by kind',
    days,
    isPartial: counted.isPartial,
  };
  return {
    chart: stackedBars({ ...chart, series: byKind(days, perDay) }),
    rows: kinds.slice(0, PROGRAMS_MAX).map(callLine),
    more: Math.max(0, kinds.length - PROGRAMS_MAX),
    isCut,
    isPartial: counted.isPartial,
    none: noneWords('None', counted),
    gap: gapWords(counted),
    lastAt: last?.at,
  };
}

const accountAddress = (id: string | null) =>
  id === null ? undefined : `/support/accounts/${encodeURIComponent(id)}`;

/** The account in the words of the new API. While no account is known: other facts that identify the holder. */
function shownAccount({ mapping, account }: MappingDescription) {
  const { account_id: id, account_email: waitsFor, legacy_account_id: olderId } = mapping;
  const { name, email, timezone: zone } = account ?? {};
  return {
    id,
    href: accountAddress(id),
    name,
    email,
    zone,
    waitsFor: id === null ? waitsFor : null,
    olderId,
  };
}

async function shownHistory(
  { context }: PageShell,
  [req, res]: readonly [Request, Response],
  { mapping, pair }: MappingDescription,
) {
  const at = beforeIn(req);
  const of = { mappingId: mapping.id, pair, grantId: mapping.grant_id };
  const page = await timelineOfMapping(context, of, at);
  const holderId = mapping.account_id ?? undefined;
  const role = roleIn(res) as StaffRole;
  return shownTimeline(context, page, { path: `/support/mappings/${mapping.id}`, at, holderId, role });
}

const appAddress = (clientId: string) => `/support/apps/${encodeURIComponent(clientId)}`;

/** The app that the token's calls name, while no app is proven. */
function shownClaim({ claimed, mapping }: MappingDescription) {
  if (!claimed) return undefined;
  const { name, client_id: clientId } = claimed;
  return { name, clientId, href: appAddress(clientId), at: mapping.claimed_at };
}

function shownMapping(context: HttpSupportDeps, all: MappingDescription) {
  const { mapping, app } = all;
  return {
    claim: shownClaim(all),
    id: mapping.id,
    hint: hintText(mapping),
    holder: holderText(mapping),
    state: standingBadge(context, mapping),
    source: sourceWords(mapping.source),
    createdAt: mapping.created_at,
    updatedAt: mapping.updated_at,
    app: {
      name: app.name,
      clientId: app.client_id,
      href: appAddress(app.client_id),
      isUnidentified: app.source === 'observed',
    },
  };
}

function show(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const all = await described(frame, req);
    const shown = shownMapping(frame.context, all);
    const role = roleIn(res) as StaffRole;
    const past = await pastCard(frame.context, req, all.mapping.id);
    const deed = await tokenDeed(frame.context, all);
    frame.page(past.problem === undefined ? res : res.status(422), 'support-mapping', {
      title: `Token ${shown.hint}`,
      wide: true,
      token: shown,
      standing: mappingStanding(frame.context, all, deed),
      actions: [...mappingActions(frame.context, role, all), ...takeBackOffers(role, [deed])],
      account: shownAccount(all),
      grant: mappingGrant(frame.context, all),
      link: all.link,
      handover: all.handover,
      leak: leakCard(all.leak),
      mails: mailLines(all.mails, { role, names: all.settlers }),
      writes: shownWrites(all.writes),
      calls: shownCalls(all),
      past,
      timeline: await shownHistory(frame, [req, res], all),
    });
  };
}

/** Adds /support/mappings/:id. */
export function mappingRoutes(router: Router, frame: PageShell): void {
  router.get('/support/mappings/:mappingId', show(frame));
}
