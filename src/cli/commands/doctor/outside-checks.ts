import type { Config } from '../../../config/config.ts';
import { SECOND } from '../../../shared/lifetimes.ts';
import { MailError } from '../../../shared/mail/mail-error.ts';
import { redactText } from '../../../shared/log/redaction.ts';
import { verifySmtp } from '../../../shared/mail/verify-smtp.ts';
import { unreachedWords } from '../../../shared/net/unreached-words.ts';
import { type HttpAnswer, send } from '../../../upstream/http-client.ts';
import type { TimeRecorder } from './modern-checks.ts';
import { examineReminders } from '../../../domain/checks/own-checks.ts';
import { notLookedAt, ok, type CheckVerdict, warning } from '../../../domain/checks/verdict.ts';
import { failure, proving } from './verdict.ts';

/** What `doctor` asks of the old API and the mail server, and how this machine's clock differs from other clocks. */

const PROBE = '/1/user.json';

/** Whether the old API is at its address: only the old API answers this call by asking for a token. */
export async function checkOldBackend(
  { oldBackendUrl, embedded }: Config,
  hear: TimeRecorder,
): Promise<CheckVerdict> {
  if (oldBackendUrl === undefined)
    return notLookedAt('LEGACY_BACKEND_URL is not set, so no call is passed through');
  const isOfDemo = embedded.oldApiPort !== undefined;
  const named = `LEGACY_BACKEND_URL: ${oldBackendUrl}`;
  const ask = () => send({ method: 'GET', url: `${oldBackendUrl}${PROBE}` });
  const server = isOfDemo ? `${oldBackendUrl} (the demo's old API runs only while the bridge runs)` : named;
  const { status } = await proving({ server }, hear(oldBackendUrl, ask));
  if (status !== 401 && status !== 403)
    throw failure(
      `${isOfDemo ? 'DEMO_OLD_API_PORT: ' : 'LEGACY_BACKEND_URL: '}${oldBackendUrl}${PROBE} answers ${status} to a call without a token. The old API would answer 401. Check the address`,
    );
  return ok(`${oldBackendUrl} answers ${status} to a call without a token, as the old API does`);
}

/** Whether the mail server accepts the connection and the login. No mail is sent. */
export async function checkMailServer({ mail }: Config): Promise<CheckVerdict> {
  const { smtpUrl } = mail;
  if (smtpUrl === undefined) return notLookedAt('SMTP_URL is not set');
  const { hasLogin } = await verifySmtp(smtpUrl).catch((error: unknown) => {
    if (!(error instanceof MailError)) throw error;
    const unreached = unreachedWords(error);
    throw failure(
      unreached === undefined
        ? `SMTP_URL: ${redactText(error.reason)}`
        : `SMTP_URL: the mail server cannot be reached: ${unreached}`,
    );
  });
  const taken = hasLogin ? 'connection and login' : 'the connection, and SMTP_URL names no login';
  return ok(
    `the server accepts ${taken}. Only a first mail shows whether the server accepts mail from MAIL_FROM`,
  );
}

/** Whether reminders about the dates are sent, and where they go. */
export async function checkReminders({ sendsReminders, mail }: Config): Promise<CheckVerdict> {
  return examineReminders(
    sendsReminders,
    mail.smtpUrl === undefined
      ? `SMTP_URL is not set, so reminders become files in ${mail.directory}`
      : 'reminders are sent through SMTP_URL. The check mail server shows whether the server accepts the login',
  );
}

/** At least by how many milliseconds this machine's clock is ahead of a server's clock; negative when behind. */
interface ClockDifference {
  place: string;
  ahead: number;
}

/** A `Date` header counts whole seconds. The server wrote the header between the request and its answer. */
function differenceAt(said: number, from: number, to: number): number {
  if (from > said + SECOND) return from - said - SECOND;
  return to < said ? to - said : 0;
}

const TOLERATED = 5 * SECOND;

/** This machine's clock decides over dates, expiry and certificates. A larger difference than this misjudges tokens. */
const WRONG = 60 * SECOND;

/** Reads the `Date` headers (RFC 9110 §6.6.1) in the answers to other checks. */
export function createClockCheck() {
  const heard: ClockDifference[] = [];
  const hear: TimeRecorder = async (place, ask) => {
    const from = Date.now();
    const answer: HttpAnswer = await ask();
    const said = Date.parse(answer.headers['date'] ?? '');
    if (!Number.isNaN(said)) heard.push({ place, ahead: differenceAt(said, from, Date.now()) });
    return answer;
  };
  const check = async (): Promise<CheckVerdict> => {
    const [worst] = heard.toSorted((one, other) => Math.abs(other.ahead) - Math.abs(one.ahead));
    if (worst === undefined) return notLookedAt('no server that was asked told the time');
    const places = [...new Set(heard.map(({ place }) => place))].join(', ');
    const off = Math.round(Math.abs(worst.ahead) / SECOND);
    if (off * SECOND <= TOLERATED) return ok(`within ${TOLERATED / SECOND} seconds of ${places}`);
    const words = `this machine is ${off} seconds ${worst.ahead > 0 ? 'ahead of' : 'behind'} ${worst.place}`;
    if (off * SECOND > WRONG)
      throw failure(`${words}. Set the clock of this machine, or look at the clocks of the servers`);
    return warning(words);
  };
  return { hear, check };
}
