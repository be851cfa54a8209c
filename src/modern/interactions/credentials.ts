import type { Request, Response } from 'express';
import type { Login } from '../store/accounts.ts';
import type { Store } from '../store/store.ts';
import { type Attempts, underBrake } from './attempts.ts';

export interface FailedSignIn {
  status: number;
  /** As it was entered, to be shown again. */
  email: string;
  problem: string;
}

/** Longer input is nobody's e-mail or password, and only costs time to digest. */
const MAX_LENGTH = 256;

function field(req: Request, name: string): string {
  const body: Record<string, unknown> | undefined = req.body;
  const value = body?.[name];
  return typeof value === 'string' ? value.slice(0, MAX_LENGTH) : '';
}

/**
 * Checks the fields `email` and `password` under the brake on guessing. Sets `Retry-After` when there were too many
 * attempts (status 429); status 401 otherwise, whatever of the two was wrong.
 */
export async function checkCredentials(
  { attempts, store }: { attempts: Attempts; store: Store },
  { req, res }: { req: Request; res: Response },
): Promise<Login | FailedSignIn> {
  const email = field(req, 'email').trim();
  const checked = await underBrake(attempts, { email, req, res }, () =>
    store.accounts.authenticate(email, field(req, 'password')),
  );
  if ('tooMany' in checked) return { status: 429, email, problem: checked.tooMany };
  if (checked.outcome) return checked.outcome;
  return { status: 401, email, problem: 'The e-mail and password do not match. Please try again.' };
}
