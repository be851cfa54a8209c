import type { Request, Response } from 'express';
import type { Pages } from '../../shared/pages.ts';
import { errors } from '../provider/oidc.ts';
import type { Provider } from '../provider/oidc.ts';
import type { DemoCredentials } from '../settings.ts';
import type { Store } from '../store/store.ts';
import type { Attempts } from './attempts.ts';

export interface InteractionParts {
  provider: Provider;
  store: Store;
  pages: Pages;
  attempts: Attempts;
  demo: DemoCredentials | undefined;
}

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;
type InteractionResult = Parameters<Provider['interactionResult']>[2];

/** The app may have been deleted, or its address taken out, since the request began: then nothing more is given to it. */
async function requireRegistered(provider: Provider, interaction: Interaction): Promise<void> {
  const client = await provider.Client.find(parameter(interaction, 'client_id'));
  if (!client) throw new errors.InvalidClient('client is invalid');
  if (!client.redirectUris?.includes(parameter(interaction, 'redirect_uri')))
    throw new errors.InvalidRedirectUri();
}

/** The running authorization request of this address, which its signed cookie must confirm. */
export async function loadInteraction(
  { provider }: InteractionParts,
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
 * Hands the outcome to the provider and sends the browser on to it. Only the path is used: the browser may know this
 * server by another name than the issuer's, and its cookies are bound to that name.
 */
export async function finish(
  { provider }: InteractionParts,
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
