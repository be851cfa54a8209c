import type { Request, RequestHandler, Router } from 'express';
import { tokensOfApp } from '../../../domain/tokens/app-tokens.ts';
import { tokensOfPair } from '../../../domain/tokens/tokens-of-account.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { formTargets } from '../../signin/leave.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { shownApp } from '../shown-app.ts';
import { gapWords } from '../../../domain/usage/counted-days.ts';
import { tokenLines } from './token-lines.ts';

/**
 * GET /apps/:clientId/tokens: the owner of the app sees every token, other people see their own. Nobody can act here on
 * the token of another account.
 */

/** The id after which this page begins; '' for the first page. */
function afterOf({ query: { after } }: Request): string {
  return typeof after === 'string' && /^[0-9a-f]{24}$/.test(after) ? after : '';
}

function showTokens(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const { app, isOwner, reader, of } = await shownApp(context, req);
    const after = afterOf(req);
    const footing = oldApiStatusOf(appLifecycleNow(context, app.client_id));
    const { tokens, next, counted } = await tokensOfApp(context, of, after);
    const own = await tokensOfPair(context, { clientId: app.client_id, accountId: reader });
    frame.page(res, 'tokens', {
      title: isOwner ? `Tokens of “${app.name}”` : `Your tokens of “${app.name}”`,
      app,
      isOwner,
      isFirst: after === '',
      lines: tokenLines(context, tokens, { app, reader }),
      gap: gapWords(counted),
      next,
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
}
