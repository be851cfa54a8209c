import type { Request } from 'express';
import type { TokensOf } from '../../domain/tokens/app-tokens.ts';
import type { OwnersDeps } from './deps.ts';
import { type AppAccess, accessTo } from '../../domain/apps/app-access.ts';
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
  /** Undefined for people who see their own tokens alone. */
  access: AppAccess | undefined;
  /** Whether the person sees all of the app: its owner does, and the contacts with whom it is shared. */
  seesAll: boolean;
  reader: string;
  /** All tokens of the app, or the tokens of the reader's own account. */
  of: TokensOf;
}

/** The app of an address, for the signed-in person. */
export async function shownApp(context: OwnersDeps, req: Request): Promise<ShownApp> {
  const app = await registeredApp(context, req);
  const person = signedInPerson(req);
  const access = await accessTo(context, app, person);
  const { client_id: clientId } = app;
  const reader = person.accountId;
  const seesAll = access !== undefined;
  return { app, access, seesAll, reader, of: seesAll ? { clientId } : { clientId, accountId: reader } };
}
