import type { Request } from 'express';
import type { Context } from '../../domain/context.ts';
import { findRegisteredApp } from '../../domain/register-app.ts';
import { PageError } from '../page-error.ts';
import { personIn } from './frame.ts';

/** The app of an address, for its owner; to anybody else it is one that is not registered. */
export async function ownedApp(context: Context, req: Request) {
  const app = await findRegisteredApp(context, String(req.params['clientId']));
  if (app && app.owner_account_id === personIn(req).accountId) return app;
  throw new PageError(404, 'There is no such app of yours', {
    reason: 'The address names an app that is not registered, or that belongs to another account.',
    next: 'Look for it under “Your apps”. If it is yours and missing there, sign in with the account that registered it.',
  });
}

export type OwnedApp = Awaited<ReturnType<typeof ownedApp>>;

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** A time for people: `22 November 2026 at 09:15 UTC`. */
export function timeWords(time: number): string {
  return `${DATE.format(time)} UTC`;
}

/** A window of time for people: `22 November 2026, 09:15–10:15 UTC`. */
export function windowWords(from: number, to: number): string {
  return `${DATE.formatRange(from, to)} UTC`;
}
