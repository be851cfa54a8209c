import type { Request } from 'express';
import type { TokensOf } from '../../domain/tokens/app-tokens.ts';
import type { OwnersDeps } from './deps.ts';
import { findRegisteredApp } from '../../domain/apps/register-app.ts';
import { PageError } from '../pages/page-error.ts';
import { signedInPerson } from '../site/page-shell.ts';

type App = NonNullable<Awaited<ReturnType<typeof findRegisteredApp>>>;

/** The app of an address, for any reader. */
export async function registeredApp(context: OwnersDeps, req: Request): Promise<App> {
  const app = await findRegisteredApp(context, String(req.params['clientId']));
  if (app) return app;
  throw new PageError(404, 'This app is not registered', {
    reason: 'The address names an app that is not known here.',
    next: 'Check the address, or ask the people who make the app.',
  });
}

/** What a signed-in person may see of an app. */
export interface ShownApp {
  app: App;
  isOwner: boolean;
  reader: string;
  /** For the owner all tokens of the app; for other people the tokens of their own account. */
  of: TokensOf;
}

/** The app of an address, for the signed-in person. */
export async function shownApp(context: OwnersDeps, req: Request): Promise<ShownApp> {
  const app = await registeredApp(context, req);
  const reader = signedInPerson(req).accountId;
  const isOwner = app.owner_account_id === reader;
  const clientId = app.client_id;
  return { app, isOwner, reader, of: isOwner ? { clientId } : { clientId, accountId: reader } };
}
