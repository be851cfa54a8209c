import { checkPasswordWithLimit } from '../../interactions/attempts.ts';
import { type AccountField, fieldOf, type AccountFormRefusal, showAccount } from './account-page.ts';
import { beginSession } from '../session.ts';
import { goTo, type Visit } from '../visit.ts';

/**
 * Only the length counts; there are no rules on the kinds of characters (NIST SP 800-63B-4 §3.1.1.2). The sign-in has
 * the same maximum.
 */
const LENGTH = { min: 10, max: 256 };

function newPasswordProblem(password: string, email: string): string | undefined {
  if (Array.from(password).length < LENGTH.min) return `Use at least ${LENGTH.min} characters.`;
  if (password.length > LENGTH.max) return `Use at most ${LENGTH.max} characters.`;
  if (password.toLowerCase() === email.toLowerCase()) return 'Use something else than your e-mail address.';
  return undefined;
}

/**
 * Runs `check` of the current password under the brake on guessing. `field` is the field of the password. `check`
 * returns a value when the password is right. Sets `Retry-After` after too many attempts.
 */
export async function checkPassword<T>(
  { parts: { attempts }, account, req, res }: Visit,
  field: AccountField,
  check: () => Promise<T | undefined>,
): Promise<{ found: T } | { refusal: AccountFormRefusal }> {
  const checked = await checkPasswordWithLimit(attempts, { email: account.email, req, res }, check);
  if ('tooMany' in checked) return { refusal: { status: 429, problems: { [field]: checked.tooMany } } };
  if (checked.outcome !== undefined) return { found: checked.outcome };
  return { refusal: { status: 422, problems: { [field]: 'This is not your current password.' } } };
}

function problemsOf(current: string, next: string, email: string): AccountFormRefusal['problems'] {
  const problem = newPasswordProblem(next, email);
  return {
    ...(current === '' && { 'current-password': 'Enter your current password.' }),
    ...(problem !== undefined && { 'new-password': problem }),
  };
}

/**
 * POST …/account/password with `current-password` and `new-password`. This browser continues in a new session: a copy
 * of the old cookie is worthless too.
 */
export async function changePassword(visit: Visit): Promise<void> {
  const { parts, account } = visit;
  const [current, next] = [fieldOf(visit, 'current-password'), fieldOf(visit, 'new-password')];
  const problems = problemsOf(current, next, account.email);
  if (Object.keys(problems).length > 0) return showAccount(visit, { status: 422, problems });
  const checked = await checkPassword(visit, 'current-password', () =>
    parts.store.changePassword({ accountId: account.id, current, next }),
  );
  if ('refusal' in checked) return showAccount(visit, checked.refusal);
  await beginSession(parts, visit, { accountId: account.id, loginTs: checked.found });
  return goTo(visit, '/settings/account', 'password-changed');
}
