import type { Request } from 'express';
import { HEX_ID } from '../../../shared/ids.ts';
import { openLink } from '../../../domain/authorization/reauthorize.ts';
import { findRegisteredApp } from '../../../domain/apps/register-app.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { PageError } from '../../pages/page-error.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import type { SiteDeps } from '../../site/deps.ts';

const unknownLink = () =>
  new PageError(404, 'This link is not known', {
    reason: 'The address is incomplete, or its app is no longer registered.',
    next: 'Copy the whole link from the mail, or sign in and look at your apps.',
  });

/**
 * The id of the link in an address. It becomes part of other addresses, so nothing else passes.
 * @throws {PageError} 404
 */
export function linkIdIn(req: Request): string {
  const id = String(req.params['id']);
  if (!HEX_ID.test(id)) throw unknownLink();
  return id;
}

/** The app and account of the link in an address. */
export async function linkedApp(context: SiteDeps, req: Request) {
  const linkId = linkIdIn(req);
  const pair = await openLink(context, linkId);
  const app = pair && (await findRegisteredApp(context, pair.clientId));
  if (pair && app) return { ...pair, linkId, appName: app.name };
  throw unknownLink();
}

/** Whether the old API has ended for an app, so that connecting the app would not help. */
export function hasEnded(context: SiteDeps, clientId: string): boolean {
  return oldApiStatusOf(appLifecycleNow(context, clientId)).phase === 'ended';
}
