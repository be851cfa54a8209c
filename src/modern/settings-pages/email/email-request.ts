import { randomBytes } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { isMailAddress } from '../../../shared/mail/address.ts';
import { MailError } from '../../../shared/mail/mail-error.ts';
import { askToWait, secondsToWait } from '../../brake.ts';
import { EMAIL_REQUESTS_SECONDS } from '../../lifetimes.ts';
import { fieldOf, type AccountFormRefusal, showAccount } from '../account/account-page.ts';
import { checkPassword } from '../account/account-password.ts';
import { sendNotice } from './email-notice.ts';
import { confirmingMail, noticeMail, takenMail } from './email-texts.ts';
import { goTo, type Visit } from '../visit.ts';

/** The limit in EMAIL_REQUESTS_SECONDS. The refusal says "an hour". */
const MOST_MAILS = 5;

/** On this machine the link with this token fits into one line of a mail, also for a person who reads the mail file. */
const TOKEN_BYTES = 24;

type EmailRequestLimiter = RateLimiterMemory;

function problemsOf({ account }: Visit, email: string, password: string): AccountFormRefusal['problems'] {
  const isSame = email.toLowerCase() === account.email.toLowerCase();
  return {
    ...(isSame && { email: 'This is your address already.' }),
    ...(!isMailAddress(email) && { email: 'Enter an e-mail address such as name@example.org.' }),
    ...(password === '' && { 'email-password': 'Enter your current password.' }),
  };
}

async function refuseTooMany(
  { account, res }: Visit,
  brake: EmailRequestLimiter,
): Promise<AccountFormRefusal | undefined> {
  const wait = await secondsToWait(() => brake.consume(account.id));
  if (wait === 0) return undefined;
  const email = `You asked for ${MOST_MAILS} mails within an hour. ${askToWait(res, wait)}.`;
  return { status: 429, problems: { email } };
}

/**
 * The login time of the password check, or the refusal. First come the problems of the fields themselves, then the
 * password. The limit on mails counts only after the right password.
 */
async function admit(
  visit: Visit,
  email: string,
  brake: EmailRequestLimiter,
): Promise<{ loginTs: number } | { refusal: AccountFormRefusal }> {
  const { parts, account } = visit;
  const password = fieldOf(visit, 'email-password');
  const problems = problemsOf(visit, email, password);
  if (Object.keys(problems).length > 0) return { refusal: { status: 422, problems } };
  const checked = await checkPassword(visit, 'email-password', async () => {
    const login = await parts.store.accounts.authenticate(account.email, password);
    // The address may have gone to another account a moment ago.
    return login?.account.id === account.id ? login : undefined;
  });
  if ('refusal' in checked) return checked;
  const refusal = await refuseTooMany(visit, brake);
  return refusal ? { refusal } : checked.found;
}

const IN_DOUBT: AccountFormRefusal = {
  status: 503,
  problems: { email: 'The mail may be on its way. Look into the mailbox before you try again.' },
};

function undelivered({ isRefused }: MailError): AccountFormRefusal {
  return isRefused
    ? { status: 422, problems: { email: 'No mail can be sent to this address. Please check its spelling.' } }
    : { status: 503, problems: { email: 'The mail could not be sent just now. Please try again later.' } };
}

/**
 * Sends the link to the new address. An address of another account gets a different mail. Its row is stored as well,
 * but nobody knows the link: no page reveals whether an address is in use. The row is stored after the mail, and an
 * earlier link survives a failed mail. A mail in doubt may arrive, so its row is stored too. `late` when the password
 * was changed meanwhile.
 */
async function sendLink(
  { parts, account }: Visit,
  email: string,
  loginTs: number,
): Promise<'sent' | 'in doubt' | 'late'> {
  const { accounts, emailChanges } = parts.store;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const link = `${parts.issuer}/settings/email/${token}`;
  const mail = accounts.isTaken(email) ? takenMail(email) : confirmingMail(email, link);
  const isSent = await parts.mailer.send(mail).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof MailError && error.isInDoubt)) throw error;
      parts.logger.warn('it is in doubt whether the link of an e-mail change was sent', { cause: error });
      return false;
    },
  );
  if (!emailChanges.begin({ accountId: account.id, email, loginTs }, token)) return 'late';
  return isSent ? 'sent' : 'in doubt';
}

/**
 * POST …/account/email with `email` and `email-password`. The address changes only when the link in the mail is
 * confirmed.
 */
export function createEmailRequests() {
  const brake = new RateLimiterMemory({ points: MOST_MAILS, duration: EMAIL_REQUESTS_SECONDS });
  return async (visit: Visit): Promise<void> => {
    const { account, parts } = visit;
    const email = fieldOf(visit, 'email').trim();
    const admitted = await admit(visit, email, brake);
    if ('refusal' in admitted) return showAccount(visit, admitted.refusal);
    let end: Awaited<ReturnType<typeof sendLink>>;
    try {
      end = await sendLink(visit, email, admitted.loginTs);
      // The password was changed meanwhile, and sessions of the old password have ended. The account page then asks for
      // a sign-in.
      if (end === 'late') return goTo(visit, '/settings/account');
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      parts.logger.error('the link of an e-mail change was not sent', { cause: error });
      await brake.reward(account.id);
      return showAccount(visit, undelivered(error));
    }
    await sendNotice(parts, noticeMail(account.email, email));
    if (end === 'in doubt') return showAccount(visit, IN_DOUBT);
    return goTo(visit, '/settings/account', 'email-asked');
  };
}

/** POST …/account/email/cancel: makes the sent link worthless. */
export function cancelEmailRequest(visit: Visit): void {
  visit.parts.store.emailChanges.forget(visit.account.id);
  return goTo(visit, '/settings/account', 'email-cancelled');
}
