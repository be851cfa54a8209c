import type { Request, Response } from 'express';
import { type AppAccess, accessTo, mayManage } from '../../domain/apps/app-access.ts';
import { findRegisteredApp } from '../../domain/apps/register-app.ts';
import type { Origin } from '../../domain/origin.ts';
import type { OwnersDeps } from './deps.ts';
import { PageError } from '../pages/page-error.ts';
import { callingOf } from '../request-trace.ts';
import { signedInPerson } from '../site/page-shell.ts';

/**
 * The app of an address, for those who may see all of it: its owner, and the contacts to whom the owner gave its pages.
 * What a person may do is looked up at each request. For any other person the app counts as not registered.
 */

export type AppForOwner = NonNullable<Awaited<ReturnType<typeof findRegisteredApp>>>;

/** An app, and what the reader may do on its pages. */
export interface SeenApp {
  app: AppForOwner;
  access: AppAccess;
}

/** The answer for an app that is not registered, or belongs to another account. */
export function noAppOfYours(): PageError {
  return new PageError(404, 'There is no such app of yours', {
    reason: 'The address names an app that is not registered, or that belongs to another account.',
    next: 'Look for it under “Your apps”. If it is yours and missing there, sign in with the account that registered it.',
  });
}

/** The app of an address, for everybody who may see all of it. */
export async function seenApp(context: OwnersDeps, req: Request): Promise<SeenApp> {
  const app = await findRegisteredApp(context, String(req.params['clientId']));
  const access = app && (await accessTo(context, app, signedInPerson(req)));
  if (app && access) return { app, access };
  throw noAppOfYours();
}

const notGiven = ({ app }: SeenApp, reason: string) =>
  new PageError(403, 'This app is shared with you, but not this', {
    reason: `${reason} Nothing was changed.`,
    next: 'Ask the owner of the app.',
    wayOn: { href: `/apps/${app.client_id}`, label: 'Back to the app' },
  });

/** The app of an address, for its owner and for contacts who may manage it. */
export async function managedApp(context: OwnersDeps, req: Request): Promise<SeenApp> {
  const seen = await seenApp(context, req);
  if (mayManage(seen.access)) return seen;
  throw notGiven(seen, 'You may see the app, and change nothing.');
}

/** The app of an address, for its owner alone: secrets, its own client, and who else sees it. */
export async function ownedApp(context: OwnersDeps, req: Request): Promise<SeenApp> {
  const seen = await seenApp(context, req);
  if (seen.access === 'owner') return seen;
  throw notGiven(seen, 'Only the owner of the app may do this.');
}

/** The signed-in person and their request, as the history names both. */
export function ownerOrigin(res: Response): Origin {
  return { actor: `account:${signedInPerson(res.req).accountId}`, ...callingOf(res) };
}
