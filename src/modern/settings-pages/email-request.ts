import { randomBytes } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isMailAddress } from '../../shared/mail/address.ts';
import { MailError } from '../../shared/mail/mail-error.ts';
import { waitingTime } from '../interactions/credentials.ts';
import { fieldOf, type Refusal, showAccount } from './account-page.ts';
import { refuseWrongPassword } from './account-password.ts';
import { confirmingMail, noticeMail, takenMail } from './email-texts.ts';
import { goTo, type Visit } from './visit.ts';

const MAILS_PER_HOUR = 5;

/** Short enough that on this machine the link fits into one line of a mail, also where somebody reads the file itself. */
const TOKEN_BYTES = 24;

type Brake = RateLimiterMemory;

function problemsOf({ account }: Visit, email: string, password: string): Refusal['problems'] {
  const isSame = email.toLowerCase() === account.email.toLowerCase();
  return {
    ...(isSame && { email: 'This is your address already.' }),
    ...(!isMailAddress(email) && { email: 'Enter an e-mail address such as name@example.org.' }),
    ...(password === '' && { 'email-password': 'Enter your current password.' }),
  };
}

async function refuseTooMany({ account, res }: Visit, brake: Brake): Promise<Refusal | undefined> {
  try {
    await brake.consume(account.id);
    return undefined;
  } catch (limit) {
    if (!(limit instanceof RateLimiterRes)) throw limit;
    const wait = Math.ceil(limit.msBeforeNext / 1000);
    res.set('Retry-After', String(wait));
    const email = `You asked for ${MAILS_PER_HOUR} mails within an hour. Please wait ${waitingTime(wait)}.`;
    return { status: 429, problems: { email } };
  }
}

/** What speaks against the request, in the order that tells nobody anything before the password is right. */
async function refusalOf(visit: Visit, email: string, brake: Brake): Promise<Refusal | undefined> {
  const { parts, account } = visit;
  const password = fieldOf(visit, 'email-password');
  const problems = problemsOf(visit, email, password);
  if (Object.keys(problems).length > 0) return { status: 422, problems };
  const isRight = async () =>
    (await parts.store.accounts.authenticate(account.email, password)) !== undefined;
  const wrong = await refuseWrongPassword(visit, 'email-password', isRight);
  return wrong ?? (await refuseTooMany(visit, brake));
}

function undelivered({ isRefused }: MailError): Refusal {
  return isRefused
    ? { status: 422, problems: { email: 'No mail can be sent to this address. Please check its spelling.' } }
    : { status: 503, problems: { email: 'The mail could not be sent just now. Please try again later.' } };
}

/**
 * Sends the link to the new address. One that another account has gets a different mail, and everything else is the
 * same: the row is there but nobody knows its link, so that no page tells whether an address is in use.
 */
async function sendLink({ parts, account }: Visit, email: string): Promise<void> {
  const { accounts, emailChanges } = parts.store;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  emailChanges.begin({ accountId: account.id, email }, token);
  const link = `${parts.issuer}/settings/email/${token}`;
  try {
    await parts.mailer.send(accounts.isTaken(email) ? takenMail(email) : confirmingMail(email, link));
  } catch (error) {
    emailChanges.withdraw(token);
    throw error;
  }
}

/** The old box may be lost, which is a reason to change the address: a notice that fails stops nothing. */
async function tellOldAddress({ parts, account }: Visit, email: string): Promise<void> {
  try {
    await parts.mailer.send(noticeMail(account, email));
  } catch (cause) {
    parts.logger.warn('the notice of an e-mail change was not sent', { cause });
  }
}

/** POST …/account/email with `email` and `email-password`. Nothing changes before the link in the mail is opened. */
export function createEmailRequests() {
  const brake = new RateLimiterMemory({ points: MAILS_PER_HOUR, duration: 60 * 60 });
  return async (visit: Visit): Promise<void> => {
    const email = fieldOf(visit, 'email').trim();
    const refusal = await refusalOf(visit, email, brake);
    if (refusal) return showAccount(visit, refusal);
    try {
      await sendLink(visit, email);
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      visit.parts.logger.error('the link of an e-mail change was not sent', { cause: error });
      return showAccount(visit, undelivered(error));
    }
    await tellOldAddress(visit, email);
    return goTo(visit, '/settings/account', 'email-asked');
  };
}
