import type { RequestHandler } from 'express';
import type { Context } from '../../../domain/context.ts';
import { oldBackendUntilRetired } from '../../../domain/old-backend-for.ts';
import { isFromBefore, type Resolved, resolveToken } from '../../../domain/resolve-token.ts';
import { provenApp } from '../../../domain/tokens/proven-app.ts';
import { findToken } from '../bearer-token.ts';

function isOldApis(context: Context, resolved: Resolved | undefined): boolean {
  if (resolved?.kind === 'refused') return false;
  if (resolved?.kind !== 'served') return context.oldBackend !== undefined;
  const { mapping } = resolved;
  return isFromBefore(mapping) && oldBackendUntilRetired(context, provenApp(mapping)) !== undefined;
}

/** Leaves a call about posts to the old API where that knows its token and is not retired. */
export function unlessOldApi(context: Context): RequestHandler {
  return async (req, _res, next) => {
    const found = await findToken(req);
    const resolved = found && (await resolveToken(context, found.token));
    next(isOldApis(context, resolved) ? 'route' : undefined);
  };
}
