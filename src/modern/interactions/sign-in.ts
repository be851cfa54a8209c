import type { Request, Response } from 'express';
import { demoCredentials } from '../demo/credentials.ts';
import { siteName } from '../page-headers.ts';
import { checkCredentials, type FailedSignIn } from './credentials.ts';
import { finish, type Interaction, type InteractionDeps, loadInteraction, parameter } from './interaction.ts';

/** The sign-in page of an authorization request. */
export async function showSignIn(
  { provider, store, pages, demo }: InteractionDeps,
  interaction: Interaction,
  { res, failed }: { res: Response; failed?: FailedSignIn },
): Promise<void> {
  const client = await provider.Client.find(parameter(interaction, 'client_id'));
  const page = pages.render('sign-in', {
    title: 'Sign in',
    siteName,
    narrow: true,
    action: `/interaction/${interaction.uid}/sign-in`,
    cancel: `/interaction/${interaction.uid}/cancel`,
    app: client?.clientName,
    email: failed?.email ?? parameter(interaction, 'login_hint'),
    problem: failed?.problem,
    demo: demo && demoCredentials(store),
  });
  res
    .status(failed?.status ?? 200)
    .type('html')
    .send(page);
}

/** Ends the session that was open when the request began, of whatever account. The sign-in gets a new session. */
async function leaveOtherSession({ store }: InteractionDeps, interaction: Interaction): Promise<void> {
  if (!interaction.session) return;
  store.records.destroyByUid('Session', interaction.session.uid);
  interaction.session = undefined;
  await interaction.persist();
}

/**
 * Another tab may have signed in another person since. The provider would then ask which of the two persons is meant.
 */
async function endSessionOfOthers(
  { provider }: InteractionDeps,
  { req, res }: { req: Request; res: Response },
  accountId: string,
): Promise<void> {
  const session = await provider.Session.get(provider.createContext(req, res));
  if (session.accountId !== undefined && session.accountId !== accountId) await session.destroy();
}

/** POST …/sign-in with `email` and `password`. */
export async function signIn(parts: InteractionDeps, req: Request, res: Response): Promise<void> {
  const interaction = await loadInteraction(parts, req, res);
  const outcome = await checkCredentials(parts, { req, res });
  if ('problem' in outcome) return showSignIn(parts, interaction, { res, failed: outcome });
  const accountId = outcome.account.id;
  await leaveOtherSession(parts, interaction);
  await endSessionOfOthers(parts, { req, res }, accountId);
  return finish(parts, { req, res }, { login: { accountId, ts: outcome.loginTs, amr: ['pwd'] } });
}
