import type { Request, RequestHandler } from 'express';
import {
  listableAmong,
  listableCount,
  listablePage,
  type ListableToken,
  waitsUnlisted,
} from '../../../domain/tokens/listable-tokens.ts';
import { hasEnded } from './linked-app.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { connectByWords } from '../../wording/dates/lines.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { fieldsOf, type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { formTargets, leaveToReauthorize } from '../../signin/leave.ts';
import { CHOSEN_PREFIX, keepingAnother, wantsAnother } from '../../signin/return/wants-another.ts';
import { readTable, type TableForm } from '../../tables/table-query.ts';
import { tableView } from '../../tables/table-view.ts';
import { hintWords } from '../../wording/token-words.ts';
import { registeredApp } from '../shown-app.ts';

/**
 * GET /apps/:clientId/connect lists the tokens whose app is not proven, and the person chooses among them. Unrelated
 * programs send the same user agent, and anybody may name an app in a call. Therefore only the person's choice connects
 * these tokens.
 */

/** The ids that the form names; undefined for a form of another page. */
function chosenIn(req: Request): string[] | undefined {
  const names = Object.keys(fieldsOf(req));
  if (!names.includes('chosen')) return undefined;
  return names
    .filter((name) => name.startsWith(CHOSEN_PREFIX))
    .map((name) => name.slice(CHOSEN_PREFIX.length));
}

/**
 * Preselected: the tokens that belong to the program itself. A token whose calls only name the app may belong to any
 * program.
 */
const isProgramsOwn = (token: ListableToken, clientId: string) =>
  token.client_id === clientId && token.app_source === 'observed';

function lineOf(token: ListableToken, isChosen: boolean) {
  const { id, program, created_at: firstSeen, last_used_at: lastUsed } = token;
  const hint = hintWords(token) ?? 'a token';
  return { field: `${CHOSEN_PREFIX}${id}`, hint, program, firstSeen, lastUsed, isChosen };
}

const LIST: TableForm<'all', 'oldest'> = { tabs: ['all'], sortsOf: () => ['oldest'] };

/** One page of the tokens with the ways to its neighbours, which keep the wish for another account. */
async function listOf({ context }: PageShell, req: Request, pair: { clientId: string; accountId: string }) {
  const query = readTable(req, LIST);
  const { keys: tokens, previous, next } = await listablePage(context, pair, query.position);
  const { all } = await listableCount(context, pair);
  const view = tableView(LIST, query, {
    path: req.path,
    label: 'Tokens to choose from',
    tabLabels: { all: 'All' },
    sortLabels: { oldest: 'oldest first' },
    counts: { all: { count: all } },
    shown: tokens.length,
    previous,
    next,
  });
  const keeping = (href: string | undefined) => href && keepingAnother(href, req.query);
  const ways = { first: keeping(view.first), previous: keeping(view.previous), next: keeping(view.next) };
  return { tokens, all, table: { ...view, ...ways } };
}

function show(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const { client_id: clientId, name: appName, source } = await registeredApp(frame.context, req);
    if (hasEnded(frame.context, clientId))
      return leaveWith(frame.context, res, { href: `/apps/${clientId}`, notice: 'old-api-ended' });
    const { accountId } = signedInPerson(req);
    const { tokens, all, table } = await listOf(frame, req, { clientId, accountId });
    // Behind the last page too: the tokens that it had may be connected since.
    if (tokens.length === 0)
      return res.redirect(303, all === 0 ? `/apps/${clientId}` : keepingAnother(req.path, req.query));
    // When the person has chosen no token, the page must not preselect tokens again.
    const isNothingChosen = req.query['nothing'] !== undefined;
    frame.page(res, 'choose-tokens', {
      title: 'Which of these are yours?',
      clientId,
      appName,
      isProgram: source === 'observed',
      lines: tokens.map((token) => lineOf(token, !isNothingChosen && isProgramsOwn(token, clientId))),
      all,
      table,
      isNothingChosen,
      isOther: wantsAnother(req),
      connectBy: connectByWords(appLifecycleNow(frame.context, clientId)),
      formTargets: formTargets(frame.context.server.authorizationUrl),
    });
  };
}

/**
 * Sends the browser to the consent. When there are tokens to choose from, the browser goes to the choice first. False
 * where no token waits.
 */
export async function leaveToConnect(
  frame: PageShell,
  pair: { clientId: string; accountId: string },
  exchange: Parameters<RequestHandler>,
): Promise<boolean> {
  const [req, res] = exchange;
  const { all } = await listableCount(frame.context, pair);
  const isUnlisted = await waitsUnlisted(frame.context, pair);
  if (all === 0 && !isUnlisted) return false;
  const chosen = chosenIn(req);
  const leadTo = (page: string) => (res.redirect(303, keepingAnother(page, req.body)), true);
  const page = `/apps/${pair.clientId}/connect`;
  if (all > 0 && chosen === undefined) return leadTo(page);
  const listed = await listableAmong(frame.context, pair, chosen ?? []);
  if (listed.length === 0 && !isUnlisted) return leadTo(`${page}?nothing`);
  await leaveToReauthorize(frame.parts, { ...pair, listed, isOther: wantsAnother(req) }, exchange);
  return true;
}

/** The page of the choice. Its form is the same as behind every other button that connects the app. */
export function chooseTokens(frame: PageShell): RequestHandler[] {
  return [frame.requirePerson, show(frame)];
}
