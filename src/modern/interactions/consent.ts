import type { Request, Response } from 'express';
import { siteName } from '../page-headers.ts';
import { isScope, scopeWords } from '../scopes.ts';
import {
  DENIED,
  finish,
  type Interaction,
  type InteractionDeps,
  loadInteraction,
  parameter,
} from './interaction.ts';

const requestedScopes = (interaction: Interaction) =>
  parameter(interaction, 'scope').split(' ').filter(isScope);

/** The consent page: the app, the account, the permissions, and the host to which "Allow" leads. */
export async function showConsent(
  { provider, store, pages }: InteractionDeps,
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

/** Makes a new grant for each consent. An older grant of the same account and app stays as it is. */
async function createGrant({ provider }: InteractionDeps, interaction: Interaction): Promise<string> {
  const accountId = interaction.session?.accountId;
  if (accountId === undefined) throw new Error('a consent without a signed-in account');
  const grant = new provider.Grant({ accountId, clientId: parameter(interaction, 'client_id') });
  grant.addOIDCScope(requestedScopes(interaction).join(' '));
  return grant.save();
}

/** A person can allow, go back in the browser and deny. The last decision counts, and the grant is revoked. */
async function deny(
  parts: InteractionDeps,
  { result }: Interaction,
  exchange: { req: Request; res: Response },
): Promise<void> {
  const grantId = result?.consent?.grantId;
  if (grantId !== undefined) parts.store.records.revokeGrant(grantId);
  return finish(parts, exchange, DENIED);
}

/** POST …/consent with `decision` = `allow` or `deny`. Any other value counts as deny. */
export async function decide(parts: InteractionDeps, req: Request, res: Response): Promise<void> {
  const interaction = await loadInteraction(parts, req, res);
  const form: Record<string, unknown> | undefined = req.body;
  if (form?.['decision'] !== 'allow') return deny(parts, interaction, { req, res });
  // A double click must not leave a second grant.
  const grantId = interaction.result?.consent?.grantId ?? (await createGrant(parts, interaction));
  return finish(parts, { req, res }, { consent: { grantId } });
}

/** POST …/switch: ends the session and repeats the authorization request. The sign-in page comes next. */
export async function switchAccount(parts: InteractionDeps, req: Request, res: Response): Promise<void> {
  const interaction = await loadInteraction(parts, req, res);
  if (interaction.session) parts.store.records.destroyByUid('Session', interaction.session.uid);
  const query = new URLSearchParams();
  for (const name of Object.keys(interaction.params)) query.set(name, parameter(interaction, name));
  res.redirect(303, `/auth?${query.toString()}`);
}
