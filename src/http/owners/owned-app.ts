import type { Request } from 'express';
import type { OwnersDeps } from './deps.ts';
import { findRegisteredApp } from '../../domain/apps/register-app.ts';
import { PageError } from '../pages/page-error.ts';
import { signedInPerson } from '../site/page-shell.ts';

/** The app of an address, for its owner. For any other person the app counts as not registered. */
export async function ownedApp(context: OwnersDeps, req: Request) {
  const app = await findRegisteredApp(context, String(req.params['clientId']));
  if (app && app.owner_account_id === signedInPerson(req).accountId) return app;
  throw new PageError(404, 'There is no such app of yours', {
    reason: 'The address names an app that is not registered, or that belongs to another account.',
    next: 'Look for it under “Your apps”. If it is yours and missing there, sign in with the account that registered it.',
  });
}

export type AppForOwner = Awaited<ReturnType<typeof ownedApp>>;
