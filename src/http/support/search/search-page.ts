import type { Request, RequestHandler, Response, Router } from 'express';
import type { HttpSupportDeps } from '../deps.ts';
import {
  findRefreshTrouble,
  type RefreshTrouble,
  troubleWords,
} from '../../../domain/grants/refresh/refresh-trouble.ts';
import { deskCounts } from '../../../domain/support/desks.ts';
import { zoneOfReader } from '../../../domain/support/ended/ended-on-day.ts';
import { QUERY_MAX } from '../../../domain/support/search/read-query.ts';
import { searchFor, type SearchResult } from '../../../domain/support/search/search.ts';
import { SHOWN_MAX } from '../../../domain/support/search/search-matches.ts';
import { withLastUse } from '../../../domain/support/token-rows.ts';
import { budgetOfRetirement } from '../../cut-over/cards.ts';
import { timeWords } from '../../wording/dates/words.ts';
import { PageError } from '../../pages/page-error.ts';
import { fieldsOf, type PageShell } from '../../site/page-shell.ts';
import { readerOf, roleIn } from '../../site/reader.ts';
import { formatNumber } from '../../wording/words.ts';
import { requestIdOf } from '../../request-id.ts';
import { DESK_WORDS } from '../desks/desk-words.ts';
import { nothingFoundWords } from './search-words.ts';
import { tokenLine } from '../token/token-line.ts';

/**
 * /support: one search box that accepts anything a caller can give. The text comes in the body of a POST alone. The
 * answer shows the text again only where it cannot hold a secret.
 */

/** Searches of one person within a minute. */
const SEARCHES = 60;

function brake({ context }: PageShell, req: Request, res: Response): void {
  const { points, secondsLeft } = context.counts.count(['support search', readerOf(req).id]);
  if (points <= SEARCHES) return;
  res.set('Retry-After', String(secondsLeft));
  throw new PageError(429, 'Too many searches', {
    reason: `One person can search ${SEARCHES} times in a minute. Nothing was looked up.`,
    next: `Wait ${secondsLeft} ${secondsLeft === 1 ? 'second' : 'seconds'} and search again.`,
  });
}

const appAddress = (clientId: string) => `/support/apps/${encodeURIComponent(clientId)}`;
const accountAddress = (accountId: string) => `/support/accounts/${encodeURIComponent(accountId)}`;

/**
 * The page of the only result; undefined where the search found no result, several, or one that is only nearly alike: a
 * person has to see that it is.
 */
function onlyHit({ tokens, apps, accounts, isNear }: SearchResult): string | undefined {
  if (isNear) return undefined;
  const hits = [
    ...tokens.map(({ id }) => `/support/mappings/${id}`),
    ...apps.map(({ client_id }) => appAddress(client_id)),
    ...accounts.map(({ account_id }) => accountAddress(account_id)),
  ];
  return hits.length === 1 ? hits[0] : undefined;
}

async function shownResult(context: HttpSupportDeps, result: SearchResult) {
  const { tokens, apps, accounts, isMore, query } = result;
  return {
    tokens: (await withLastUse(context, tokens)).map((one) => tokenLine(context, one)),
    apps: apps.map((app) => ({
      href: appAddress(app.client_id),
      clientId: app.client_id,
      name: app.name,
      isUnidentified: app.source === 'observed',
      isRetired: app.retired_at !== null,
    })),
    accounts: accounts.map(({ account_id: id, name, email }) => ({
      href: accountAddress(id),
      id,
      name: name ?? email ?? 'an account without a known name',
      email,
    })),
    isMore,
    isNear: result.isNear,
    isCut: result.isCut,
    max: SHOWN_MAX,
    nothing: tokens.length + apps.length + accounts.length === 0 ? nothingFoundWords(query) : undefined,
  };
}

const TOO_LONG = {
  understood: [],
  next: [
    `A search takes ${formatNumber(QUERY_MAX)} characters at most, and nothing was looked up.`,
    'Paste one thing alone: the token, the e-mail address, the name of the app or the id.',
  ],
};

/** Shows the search with an empty box: a text that is too long may hold anything. */
function showTooLong(frame: PageShell, res: Response): void {
  const nothing = { tokens: [], apps: [], accounts: [], nothing: TOO_LONG };
  frame.page(res.status(422), 'support-found', {
    title: 'This is too long to search for',
    wide: true,
    text: undefined,
    ...nothing,
  });
}

function search(frame: PageShell): RequestHandler {
  return async (req, res) => {
    brake(frame, req, res);
    const text = fieldsOf(req)['q'] ?? '';
    if (text.length > QUERY_MAX) return showTooLong(frame, res);
    const origin = { actor: readerOf(req).actor, requestId: requestIdOf(res) };
    const result = await searchFor(frame.context, text, origin);
    if (!result) return res.redirect(303, '/support');
    const only = onlyHit(result);
    if (only !== undefined) return res.redirect(303, only);
    const found = await shownResult(frame.context, result);
    frame.page(res, 'support-found', {
      title: found.nothing ? 'Nothing was found' : 'What was found',
      wide: true,
      text: result.shownText,
      ...found,
    });
  };
}

/** The desks that have entries, with the number of entries. */
async function busyDesks(context: HttpSupportDeps, accountId: string) {
  const zone = await zoneOfReader(context, accountId);
  const counts = (await deskCounts(context, zone)).filter(({ count, isMore }) => count > 0 || isMore);
  return counts.map(({ desk, count, isMore, countedAt }) => ({
    countedAt,
    href: `/support/desks/${desk}`,
    label: DESK_WORDS[desk].title,
    count: isMore ? `at least ${formatNumber(count)}` : formatNumber(count),
  }));
}

/** The effect of the trouble on callers. */
const NOTICED: Record<RefreshTrouble['kind'], string> = {
  deaths: 'Connections whose access has run out meanwhile answer with what is known, or 503',
  tripped: 'Connections whose access has run out meanwhile answer with what is known, or 503',
  slowed:
    'Most connections whose access has run out are refreshed all the same; the others wait, and answer with what is known, or 503',
};

const shownTrouble = (trouble: RefreshTrouble) =>
  `${troubleWords(trouble, timeWords)} ${NOTICED[trouble.kind]}; nobody has to do anything for them.`;

function showStart(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const trouble = await findRefreshTrouble(frame.context);
    frame.page(res, 'support-search', {
      title: 'Support',
      wide: true,
      role: roleIn(res),
      text: undefined,
      isStart: true,
      desks: await busyDesks(frame.context, readerOf(req).id),
      trouble: trouble && shownTrouble(trouble),
      budget: await budgetOfRetirement(frame.context),
    });
  };
}

/** Adds /support and its search. */
export function searchRoutes(router: Router, frame: PageShell): void {
  router.get('/support', showStart(frame));
  // The answer of a search cannot be opened again: opening its address begins a new search.
  router.get('/support/search', (_req, res) => res.redirect(303, '/support'));
  router.post('/support/search', search(frame));
}
