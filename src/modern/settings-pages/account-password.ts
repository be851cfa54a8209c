import { waitingTime } from '../interactions/credentials.ts';
import { type AccountField, fieldOf, type Refusal, showAccount } from './account-page.ts';
import { goTo, type Visit } from './visit.ts';

/** Length alone, no rules on the kinds of characters (NIST SP 800-63B-4 §3.1.1.2); the maximum is that of the sign-in. */
const LENGTH = { min: 10, max: 256 };

function newPasswordProblem(password: string, email: string): string | undefined {
  if (Array.from(password).length < LENGTH.min) return `Use at least ${LENGTH.min} characters.`;
  if (password.length > LENGTH.max) return `Use at most ${LENGTH.max} characters.`;
  if (password.toLowerCase() === email.toLowerCase()) return 'Use something else than your e-mail address.';
  return undefined;
}

/**
 * Runs `check` of the current password, which stands in `field`, under the brake on guessing. Undefined when it is
 * right; sets `Retry-After` when there were too many attempts.
 */
export async function refuseWrongPassword(
  { parts: { attempts }, account, req, res }: Visit,
  field: AccountField,
  check: () => Promise<boolean>,
): Promise<Refusal | undefined> {
  const attempt = { email: account.email, address: req.socket.remoteAddress ?? '' };
  const wait = await attempts.take(attempt);
  if (wait > 0) {
    res.set('Retry-After', String(wait));
    const text = `Too many attempts. Please wait ${waitingTime(wait)} and try again.`;
    return { status: 429, problems: { [field]: text } };
  }
  if (!(await check())) return { status: 422, problems: { [field]: 'This is not your current password.' } };
  await attempts.succeed(attempt);
  return undefined;
}

function problemsOf(current: string, next: string, email: string): Refusal['problems'] {
  const problem = newPasswordProblem(next, email);
  return {
    ...(current === '' && { 'current-password': 'Enter your current password.' }),
    ...(problem !== undefined && { 'new-password': problem }),
  };
}

/** POST …/account/password with `current-password` and `new-password`. */
export async function changePassword(visit: Visit): Promise<void> {
  const { parts, account, sessionUid } = visit;
  const [current, next] = [fieldOf(visit, 'current-password'), fieldOf(visit, 'new-password')];
  const problems = problemsOf(current, next, account.email);
  if (Object.keys(problems).length > 0) return showAccount(visit, { status: 422, problems });
  const refusal = await refuseWrongPassword(visit, 'current-password', () =>
    parts.store.changePassword({ accountId: account.id, current, next, sessionUid }),
  );
  if (refusal) return showAccount(visit, refusal);
  return goTo(visit, '/settings/account', 'password-changed');
}
