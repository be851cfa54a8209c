import type { Request, Response } from 'express';
import { siteName } from '../page-headers.ts';
import { isScope, scopeWords } from '../scopes.ts';
import {
  DENIED,
  finish,
  type Interaction,
  type InteractionParts,
  loadInteraction,
  parameter,
} from './interaction.ts';

const requestedScopes = (interaction: Interaction) =>
  parameter(interaction, 'scope').split(' ').filter(isScope);

/** The consent page: which app, as whom, what it will be able to do, and where "Allow" leads. */
export async function showConsent(
  { provider, store, pages }: InteractionParts,
  interaction: Interaction,
  res: Response,
): Promise<void> {
  const client = await provider.Client.find(parameter(interaction, 'client_id'));
  const account = store.accounts.find(interaction.session?.accountId ?? '');
  const app = client?.clientName ?? parameter(interaction, 'client_id');
  const page = pages.render('consent', {
    title: `Allow ${app}?`,
    siteName,
    narrow: true,
    uid: interaction.uid,
    app,
    account,
    permissions: requestedScopes(interaction).map((scope) => scopeWords[scope]),
    destination: new URL(parameter(interaction, 'redirect_uri')).host,
  });
  res.type('html').send(page);
}

/** A new grant for each consent: an older one of the same account and app stays as it is. */
async function createGrant({ provider }: InteractionParts, interaction: Interaction): Promise<string> {
  const accountId = interaction.session?.accountId;
  if (accountId === undefined) throw new Error('a consent without a signed-in account');
  const grant = new provider.Grant({ accountId, clientId: parameter(interaction, 'client_id') });
  grant.addOIDCScope(requestedScopes(interaction).join(' '));
  return grant.save();
}

/** Allowed a moment ago and denied now, by the back button: the last word counts. */
async function deny(
  parts: InteractionParts,
  { result }: Interaction,
  exchange: { req: Request; res: Response },
): Promise<void> {
  const grantId = result?.consent?.grantId;
  if (grantId !== undefined) parts.store.records.revokeGrant(grantId);
  return finish(parts, exchange, DENIED);
}

/** POST …/consent with `decision` = `allow` or `deny`; anything else counts as deny. */
export async function decide(parts: InteractionParts, req: Request, res: Response): Promise<void> {
  const interaction = await loadInteraction(parts, req, res);
  const form: Record<string, unknown> | undefined = req.body;
  if (form?.['decision'] !== 'allow') return deny(parts, interaction, { req, res });
  // A double click must not leave a second grant behind.
  const grantId = interaction.result?.consent?.grantId ?? (await createGrant(parts, interaction));
  return finish(parts, { req, res }, { consent: { grantId } });
}

/** POST …/switch: ends the session and asks the same authorization request again, now with the sign-in page. */
export async function switchAccount(parts: InteractionParts, req: Request, res: Response): Promise<void> {
  const interaction = await loadInteraction(parts, req, res);
  if (interaction.session) parts.store.records.destroyByUid('Session', interaction.session.uid);
  const query = new URLSearchParams();
  for (const name of Object.keys(interaction.params)) query.set(name, parameter(interaction, name));
  res.redirect(303, `/auth?${query.toString()}`);
}
