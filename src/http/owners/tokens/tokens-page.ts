import type { Request, RequestHandler, Router } from 'express';
import { tokenPageOf, tokensWithUsage } from '../../../domain/tokens/app-tokens.ts';
import { findTokensOfApp } from '../../../domain/tokens/token-find.ts';
import { tokensOfPair } from '../../../domain/tokens/tokens-of-account.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { formTargets } from '../../signin/leave.ts';
import { leadToFind } from '../../tables/find-form.ts';
import { readTable } from '../../tables/table-query.ts';
import { TOKEN_TABLE, tokenTable } from '../../tables/token-table.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import type { OwnersDeps } from '../deps.ts';
import { headFor } from '../head/app-head.ts';
import { type ShownApp, shownApp } from '../shown-app.ts';
import { gapWords } from '../../../domain/usage/counted-days.ts';
import { tokenLines } from './token-lines.ts';

/**
 * GET /apps/:clientId/tokens: the owner of the app sees every token, other people see their own. Nobody can act here on
 * the token of another account.
 */

/** The page of tokens that the address asks for. Only a whole app has so many tokens that they have to be searched. */
async function listOf(context: OwnersDeps, req: Request, { seesAll, of }: ShownApp) {
  const query = readTable(req, TOKEN_TABLE);
  const find = seesAll ? query.find : undefined;
  const page =
    find === undefined
      ? await tokenPageOf(context, of, query)
      : await findTokensOfApp(context, { ...of, find, withAddresses: false }, query);
  const finds = seesAll ? { finds: 'Find by the holder’s name, or by four characters' } : {};
  return { page, table: await tokenTable(context, query, { path: req.path, page, ...finds }) };
}

function showTokens(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const seen = await shownApp(context, req);
    const { app, seesAll, reader } = seen;
    const footing = oldApiStatusOf(appLifecycleNow(context, app.client_id));
    const { page, table } = await listOf(context, req, seen);
    const ids = page.keys.map(({ id }) => id);
    const { tokens, counted } = await tokensWithUsage(context, ids);
    const own = await tokensOfPair(context, { clientId: app.client_id, accountId: reader });
    frame.page(res, 'tokens', {
      title: seesAll ? `Tokens of “${app.name}”` : `Your tokens of “${app.name}”`,
      app,
      seesAll,
      ...(await headFor(context, seen, 'tokens')),
      table,
      ...tokenLines(context, tokens, { app, reader }),
      gap: gapWords(counted),
      hasEnded: footing.phase === 'ended',
      waiting: footing.phase === 'ended' ? 0 : (own?.waiting ?? 0),
      areRefused: !footing.hasOldApi,
      alive: own?.alive ?? 0,
      formTargets: formTargets(context.server.authorizationUrl),
    });
  };
}

/** Adds /apps/:clientId/tokens. */
export function tokensRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/:clientId/tokens', frame.requirePerson, showTokens(frame));
  router.post('/apps/:clientId/tokens', leadToFind);
}
