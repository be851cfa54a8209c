import type { Request } from 'express';
import {
  type AppTarget,
  appTarget,
  type MappingTarget,
  mappingTarget,
} from '../../../domain/support/actions/actions.ts';
import { PageError } from '../../pages/page-error.ts';
import type { PageShell } from '../../site/page-shell.ts';
import type { ActionPage, NoticeRedirect } from './action-form.ts';
import { hintText } from '../token/token-line.ts';

/** What is said where staff name an account that the bridge does not know. */
export const UNKNOWN_ACCOUNT =
  'No account with this id was ever met here. Check the id; if it is right, ask the person to sign in once on the page “Your apps”, then try again.';

/** What the pages of actions say about their token or app. */

/**
 * The token of an address below /support/mappings.
 * @throws {PageError} where the token does not exist
 */
export async function mappingIn({ context }: PageShell, req: Request): Promise<MappingTarget> {
  const target = await mappingTarget(context, String(req.params['id']));
  if (target) return target;
  throw new PageError(404, 'There is no such token', {
    reason: 'The address is incomplete or mistyped.',
    next: 'Look for the token under “Search”.',
  });
}

const pageOf = ({ mappingId }: MappingTarget) => `/support/mappings/${mappingId}`;

/** The way back to the page of a token. */
export const backTo = (target: MappingTarget): ActionPage['back'] => ({
  href: pageOf(target),
  label: 'The token',
});

/** Leads to the page of the token, with a notice. */
export const tokenRedirect = (target: MappingTarget, notice: string): NoticeRedirect => ({
  href: pageOf(target),
  notice,
});

/** The account of the token, as far as known. */
export function accountWords({ accountId, accountName, email, waitsUnder }: MappingTarget): string {
  if (accountId !== null) return [accountName, email, accountId].filter(Boolean).join(', ');
  return waitsUnder === null ? 'not known' : `not known; the token waits under ${waitsUnder}`;
}

/** The token, its app and its account. */
export function tokenFacts(target: MappingTarget): ActionPage['facts'] {
  const { appName, clientId } = target;
  return [
    { term: 'Token', text: hintText(target) },
    { term: 'App', text: `${appName} (${clientId})` },
    { term: 'Account', text: accountWords(target) },
  ];
}

/**
 * The app of an address below /support/apps.
 * @throws {PageError} where no such app was registered or imported
 */
export async function appIn({ context }: PageShell, req: Request): Promise<AppTarget> {
  const app = await appTarget(context, String(req.params['clientId']));
  if (app) return app;
  throw new PageError(404, 'There is no such app', {
    reason: 'No app that was registered or imported has this client id, or it is retired.',
    next: 'Look for the app under “Search”.',
  });
}

const appPageOf = ({ clientId }: AppTarget) => `/support/apps/${clientId}`;

/** The way back to the page of an app. */
export const backToApp = (target: AppTarget): ActionPage['back'] => ({
  href: appPageOf(target),
  label: target.name,
});

/** Leads to the page of an app, with a notice. */
export const appRedirect = (target: AppTarget, notice: string): NoticeRedirect => ({
  href: appPageOf(target),
  notice,
});
