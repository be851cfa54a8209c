import { type Message, statusOf } from './message.ts';

/** A failure in words for the person: the event, its reason, and the next step. */
export interface Failure {
  status: number;
  title: string;
  explanation: string;
  next: string;
}

/** The bridge gave no answer. */
export const unreachable: Failure = {
  status: 502,
  title: 'The bridge does not answer',
  explanation: 'No connection to the bridge came about, or it was cut before an answer arrived.',
  next: 'Check that the bridge is running (npm start), then try again.',
};

/** The browser came back without the session in which the authorization began. */
export const lostSession: Failure = {
  status: 400,
  title: 'This authorization does not belong to this browser',
  explanation:
    'The answer came without the session in which the request was made: the demo was restarted in between, another tab began a newer one, or the link was opened in another browser.',
  next: 'Connect again in this browser, in one tab.',
};

/** The demo does not serve this address. */
export const noSuchPage: Failure = {
  status: 404,
  title: 'There is no such page',
  explanation:
    'The demo has three pages: the first step, what went over the wire, and the posts of a profile.',
  next: 'Go to the first step.',
};

/** A mistake in the demo. The bridge is not involved. */
export const ownFailure: Failure = {
  status: 500,
  title: 'The demo itself failed',
  explanation: 'Something went wrong inside this program. Nothing was changed at the bridge.',
  next: 'Look at the log of the demo, then start again.',
};

/** The demo cannot read the form. */
export const unreadableForm: Failure = {
  status: 400,
  title: 'The demo cannot read this form',
  explanation:
    'What came is too large, or is not what the form of the page sends. The bridge was not called.',
  next: 'Go back, shorten the text, and send it again.',
};

const noAnswerToWrite: Failure = {
  status: 502,
  title: 'No answer came',
  explanation: 'The call may have been carried out, or may never have reached the bridge.',
  next: 'Look at the posts of the profile before you send it again.',
};

const denied: Failure = {
  status: 200,
  title: 'Access was denied',
  explanation: 'You said no, and the bridge told the app so with error=access_denied. No token was issued.',
  next: 'Nothing needs to be done. To go on after all, connect and allow it.',
};

const badCode: Failure = {
  status: 400,
  title: 'The code was not accepted',
  explanation:
    'The bridge answered invalid_grant. An old code can be used once and lives for 30 seconds; reloading the callback page sends it a second time.',
  next: 'Connect again to get a new code. A token that came before still works.',
};

const badClient: Failure = {
  status: 502,
  title: 'The bridge does not know this app',
  explanation: 'The client_id or client_secret of the demo app was refused.',
  next: 'Restart with npm start, which registers the demo app again.',
};

const badToken: Failure = {
  status: 401,
  title: 'The token is no longer accepted',
  explanation:
    'The bridge answered 401: the token was deauthorized or revoked, or the account has to re-authorize it.',
  next: 'Connect again to get a new token.',
};

const tooMany: Failure = {
  status: 429,
  title: 'Too many calls',
  explanation: 'The old API allowed 60 calls a minute for one app and account, and so does the bridge.',
  next: 'Wait for a minute, then read again.',
};

const temporary: Failure = {
  status: 503,
  title: 'The bridge cannot reach the new API just now',
  explanation: 'The answer is a temporary one; the token itself is still good.',
  next: 'Wait a little, then read again. The token does not have to be replaced.',
};

const notNow: Failure = {
  status: 503,
  title: 'The bridge cannot reach the new API just now',
  explanation:
    'Nothing was connected, and nothing was lost: the new API did not answer, or asked the bridge to wait.',
  next: 'Wait a little, then connect again.',
};

const unexpected: Failure = {
  status: 502,
  title: 'An answer that the demo does not expect',
  explanation: 'The bridge answered in a way that the old API never did.',
  next: 'Look at the answer below and at the log of the bridge, then start again.',
};

interface ErrorBody {
  success?: unknown;
  error?: unknown;
  message?: unknown;
}

function errorBodyOf(body: string): ErrorBody {
  try {
    return Object(JSON.parse(body)) as ErrorBody;
  } catch {
    return {};
  }
}

function errorCodeOf(body: string): string {
  const { error } = errorBodyOf(body);
  return typeof error === 'string' ? error : '';
}

/** Explains the `error` parameter of a callback. */
export function describeRefusedConsent(error: string): Failure {
  if (error === 'access_denied') return denied;
  if (error === 'temporarily_unavailable') return notNow;
  return { ...unexpected, explanation: `The bridge ended the authorization with error=${error}.` };
}

/** Explains a token endpoint answer without a token. */
export function describeFailedExchange(answer: Message | undefined): Failure {
  if (!answer) return unreachable;
  const code = errorCodeOf(answer.body);
  if (code === 'invalid_grant') return badCode;
  if (code === 'invalid_client') return badClient;
  return statusOf(answer) >= 500 ? temporary : unexpected;
}

/** Explains the answer of an old API call; undefined when the call succeeded. */
export function describeFailedCall(answer: Message | undefined): Failure | undefined {
  const status = statusOf(answer);
  if (status === 200) return undefined;
  if (status === 0) return unreachable;
  if (status === 401) return badToken;
  if (status === 429) return tooMany;
  return status >= 500 ? temporary : unexpected;
}

const KNOWN_TO_ANY_CALL = [401, 429];

/** Explains the answer of a call that writes; undefined when the write was carried out. */
export function describeFailedWrite(answer: Message | undefined): Failure | undefined {
  if (!answer) return noAnswerToWrite;
  const status = statusOf(answer);
  const { success, error, message } = errorBodyOf(answer.body);
  // The old API also reported failures with status 200.
  if (status === 200 && success !== false) return undefined;
  const words = [error, message].find((text) => typeof text === 'string');
  if (typeof words !== 'string' || KNOWN_TO_ANY_CALL.includes(status)) return describeFailedCall(answer);
  return status < 500
    ? {
        status: status === 200 ? 400 : status,
        title: 'The bridge says no',
        explanation: words,
        next: 'Change what it names, then send it again.',
      }
    : {
        status,
        title: 'The bridge cannot say that it is done',
        explanation: words,
        next: 'Look at the posts of the profile before you send it again.',
      };
}
