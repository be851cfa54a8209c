import type { Request, Response } from 'express';
import type { Login } from '../store/accounts.ts';
import type { ModernStore } from '../store/store.ts';
import { type PasswordAttemptLimiter, checkPasswordWithLimit } from './attempts.ts';

export interface FailedSignIn {
  status: number;
  /** The text as entered, for showing the form again. */
  email: string;
  problem: string;
}

/** No e-mail address or password is longer. Longer input only costs time to digest. */
const MAX_LENGTH = 256;

function field(req: Request, name: string): string {
  const body: Record<string, unknown> | undefined = req.body;
  const value = body?.[name];
  return typeof value === 'string' ? value.slice(0, MAX_LENGTH) : '';
}

/**
 * Checks the fields `email` and `password` under the brake on guessing. After too many attempts the status is 429 and
 * `Retry-After` is set. A wrong e-mail address and a wrong password both get the same 401.
 */
export async function checkCredentials(
  { attempts, store }: { attempts: PasswordAttemptLimiter; store: ModernStore },
  { req, res }: { req: Request; res: Response },
): Promise<Login | FailedSignIn> {
  const email = field(req, 'email').trim();
  const checked = await checkPasswordWithLimit(attempts, { email, req, res }, () =>
    store.accounts.authenticate(email, field(req, 'password')),
  );
  if ('tooMany' in checked) return { status: 429, email, problem: checked.tooMany };
  if (checked.outcome) return checked.outcome;
  return { status: 401, email, problem: 'The e-mail and password do not match. Please try again.' };
}
