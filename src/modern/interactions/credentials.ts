import type { Request, Response } from 'express';
import type { AccountRecord } from '../main-api/directory.ts';
import type { Store } from '../store/store.ts';
import type { Attempts } from './attempts.ts';

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

/** Words for a number of seconds, rounded up to minutes. */
export function waitingTime(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/**
 * Checks the fields `email` and `password` under the brake on guessing. Sets `Retry-After` when there were too many
 * attempts (status 429); status 401 otherwise, whatever of the two was wrong.
 */
export async function checkCredentials(
  { attempts, store }: { attempts: Attempts; store: Store },
  { req, res }: { req: Request; res: Response },
): Promise<{ account: AccountRecord } | FailedSignIn> {
  const email = field(req, 'email').trim();
  const attempt = { email, address: req.socket.remoteAddress ?? '' };
  const wait = await attempts.take(attempt);
  if (wait > 0) {
    res.set('Retry-After', String(wait));
    const problem = `Too many attempts. Please wait ${waitingTime(wait)} and try again.`;
    return { status: 429, email, problem };
  }
  const account = await store.accounts.authenticate(email, field(req, 'password'));
  if (!account) {
    return { status: 401, email, problem: 'The e-mail and password do not match. Please try again.' };
  }
  await attempts.succeed(attempt);
  return { account };
}
