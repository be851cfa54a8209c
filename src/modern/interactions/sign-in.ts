import type { Request, Response } from 'express';
import { siteName } from '../page-headers.ts';
import {
  finish,
  type Interaction,
  type InteractionParts,
  loadInteraction,
  parameter,
} from './interaction.ts';

interface SignInForm {
  status: number;
  email?: string;
  problem?: string;
}

/** Longer input is nobody's e-mail or password, and only costs time to digest. */
const MAX_LENGTH = 256;

function field(req: Request, name: string): string {
  const body: Record<string, unknown> | undefined = req.body;
  const value = body?.[name];
  return typeof value === 'string' ? value.slice(0, MAX_LENGTH) : '';
}

/** The sign-in page of an authorization request. */
export async function showSignIn(
  { provider, pages, demo }: InteractionParts,
  interaction: Interaction,
  { res, form }: { res: Response; form: SignInForm },
): Promise<void> {
  const client = await provider.Client.find(parameter(interaction, 'client_id'));
  const page = pages.render('sign-in', {
    title: 'Sign in',
    siteName,
    narrow: true,
    uid: interaction.uid,
    app: client?.clientName,
    email: form.email ?? parameter(interaction, 'login_hint'),
    problem: form.problem,
    demo,
  });
  res.status(form.status).type('html').send(page);
}

function waitingTime(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** A browser that is signed in as somebody else starts a session of its own for this account. */
async function leaveOtherSession({ store }: InteractionParts, interaction: Interaction): Promise<void> {
  if (!interaction.session) return;
  store.records.destroyByUid('Session', interaction.session.uid);
  interaction.session = undefined;
  await interaction.persist();
}

/** POST …/sign-in with `email` and `password`. */
export async function signIn(parts: InteractionParts, req: Request, res: Response): Promise<void> {
  const interaction = await loadInteraction(parts, req, res);
  const email = field(req, 'email').trim();
  const attempt = { email, address: req.socket.remoteAddress ?? '' };
  const wait = await parts.attempts.take(attempt);
  if (wait > 0) {
    res.set('Retry-After', String(wait));
    const problem = `Too many attempts. Please wait ${waitingTime(wait)} and try again.`;
    return showSignIn(parts, interaction, { res, form: { status: 429, email, problem } });
  }
  const account = await parts.store.accounts.authenticate(email, field(req, 'password'));
  if (!account) {
    const problem = 'The e-mail and password do not match. Please try again.';
    return showSignIn(parts, interaction, { res, form: { status: 401, email, problem } });
  }
  await parts.attempts.succeed(attempt);
  await leaveOtherSession(parts, interaction);
  return finish(parts, { req, res }, { login: { accountId: account.id, amr: ['pwd'] } });
}
