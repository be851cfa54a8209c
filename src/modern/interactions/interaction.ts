import type { Request, Response } from 'express';
import type { PageRenderer } from '../../shared/pages.ts';
import { errors } from '../provider/oidc.ts';
import type { Provider } from '../provider/oidc.ts';
import type { DemoCredentials } from '../settings.ts';
import type { ModernStore } from '../store/store.ts';
import type { PasswordAttemptLimiter } from './attempts.ts';

export interface InteractionDeps {
  provider: Provider;
  store: ModernStore;
  pages: PageRenderer;
  attempts: PasswordAttemptLimiter;
  demo: DemoCredentials | undefined;
}

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;
type InteractionResult = Parameters<Provider['interactionResult']>[2];

/**
 * Since the request began, the app may have been deleted, or may have removed its redirect URI. The request then fails.
 */
async function requireRegistered(provider: Provider, interaction: Interaction): Promise<void> {
  const client = await provider.Client.find(parameter(interaction, 'client_id'));
  if (!client) throw new errors.InvalidClient('client is invalid');
  if (!client.redirectUris?.includes(parameter(interaction, 'redirect_uri')))
    throw new errors.InvalidRedirectUri();
}

/** The running authorization request of this address. The signed cookie of the browser must confirm the address. */
export async function loadInteraction(
  { provider }: InteractionDeps,
  req: Request,
  res: Response,
): Promise<Interaction> {
  const interaction = await provider.interactionDetails(req, res);
  if (interaction.uid !== req.params['uid']) {
    throw new errors.SessionNotFound('interaction address and cookie do not match');
  }
  await requireRegistered(provider, interaction);
  return interaction;
}

export function parameter({ params }: Interaction, name: string): string {
  const value = params[name];
  return typeof value === 'string' ? value : '';
}

/**
 * Hands the outcome to the provider and redirects the browser to the path that the provider returns. Only the path is
 * used: the browser may know this server by another host name than the issuer, and the cookies belong to the name that
 * the browser uses.
 */
export async function finish(
  { provider }: InteractionDeps,
  { req, res }: { req: Request; res: Response },
  result: InteractionResult,
): Promise<void> {
  const returnTo = await provider.interactionResult(req, res, result);
  res.redirect(303, new URL(returnTo).pathname);
}

/** The refusal as `access_denied` (RFC 6749 §4.1.2.1), from the sign-in page as well as from the consent page. */
export const DENIED: InteractionResult = {
  error: 'access_denied',
  error_description: 'the user denied the app',
};
