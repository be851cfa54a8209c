import type { RequestHandler, Response, Router } from 'express';
import { Unavailable } from '../../../domain/failures.ts';
import { inspectPasted, type PastedTokenResult } from '../../../domain/old-api/prove-observed.ts';
import { STANDING_WORDS } from '../../../domain/tokens/standing/words.ts';
import { tokensIn } from '../../../shared/log/token-like.ts';
import { formTargets, leaveToReauthorize, refuseOnCopy } from '../../signin/leave.ts';
import { wantsAnother } from '../../signin/return/wants-another.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { traceOf } from '../../request-trace.ts';
import { fieldsOf, type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { askAgain, type FormProblems } from '../../site/problems.ts';

/**
 * GET and POST /apps/paste-token: gives an observed token its account (docs/decisions/0017). The token comes in a form
 * and is sent to the old API alone: no page, address or log holds the token.
 */

const A_MINUTE = 10;

function show(frame: PageShell, res: Response, problems: FormProblems = {}): void {
  const title = 'Connect a token that you have';
  const targets = formTargets(frame.context.server.authorizationUrl);
  const asOf = appLifecycleNow(frame.context);
  const { hasOldApi } = oldApiStatusOf(asOf);
  // Which app has more time is only known after the token was looked up.
  const isAskedForSome = asOf.hasBackend && !hasOldApi;
  const isOther = wantsAnother(res.req);
  const shown = { hasOldApi, isAskedForSome, isOther, formTargets: targets };
  askAgain(frame, res, { template: 'paste-token', title, problems, ...shown });
}

const FOUND: Readonly<Record<Exclude<PastedTokenResult['found'], 'can be proven' | 'yours'>, string>> = {
  unknown:
    'This token is not known here. Check that it is whole. A token that was never used through this address becomes known with its first call.',
  'app retired':
    'The app of this token was taken out of service, so its calls are refused and it cannot be connected. Write to support if you need it; do not send the token itself.',
  revoked: `This token ${STANDING_WORDS.revoked.headline}. It cannot be connected any more.`,
  moved: `This token ${STANDING_WORDS.moved.headline}. It cannot be connected any more.`,
  'somebody else': 'This token belongs to another account. Sign in with the account that it was made for.',
  'waits for e-mail':
    'This token waits for the account with the e-mail address that it was made for. Open “Your apps” and show there that the address is yours.',
  'no old backend':
    'Whose token this is cannot be shown now, because the old API is off. Write to support; do not send the token itself.',
  'too many profiles':
    'This token reaches more than 1,000 profiles, more than can be compared with your channels. Write to support; do not send the token itself.',
  'unnamed profiles':
    'The old API does not say of every profile that this token reaches which network it is on, so they cannot be compared with your channels. Write to support; do not send the token itself.',
  refused:
    'The old API refuses this token, so it cannot show whose it is. Write to support; do not send the token itself.',
};

/** Without an old API no call makes a token known. */
const UNKNOWN_FOR_GOOD =
  'This token is not known here. Check that it is whole. Write to support if it is; do not send the token itself.';

function foundWords({ context }: PageShell, found: keyof typeof FOUND): string {
  const isLearned = oldApiStatusOf(appLifecycleNow(context)).hasOldApi;
  return found === 'unknown' && !isLearned ? UNKNOWN_FOR_GOOD : FOUND[found];
}

/** The beginning `1/` of a token, however often it was percent-encoded for an address, or escaped for JSON. */
const LEGACY_START = /^1(?:\\*\/|%(?:25)*2F)/i;

/** Characters of a command, a header or an address. A token contains none of them. */
const AROUND = /[\s"'?&:]|=1/;

/** Finds the token in the pasted text, which may be `Bearer` and the token, or a whole command or address. */
function tokenOf(pasted: string): string {
  const text = pasted.trim();
  if (!AROUND.test(text)) return text;
  const [token] = tokensIn(text).filter((part) => LEGACY_START.test(part));
  return token?.replace(LEGACY_START, '1/') ?? text;
}

const UNANSWERED =
  'The old API did not answer, so nothing could be compared. Nothing was changed. Try again in a minute.';

/** Guessing at tokens is limited here as strictly as at the old addresses. */
function tooFast({ context }: PageShell, res: Response): string | undefined {
  const { points, secondsLeft } = context.counts.count(['pasted tokens', signedInPerson(res.req).accountId]);
  if (points <= A_MINUTE) return undefined;
  res.status(429).set('Retry-After', String(secondsLeft));
  return `You have tried often within a minute. Wait ${secondsLeft} seconds, then try again.`;
}

async function inspect(frame: PageShell, res: Response): Promise<PastedTokenResult | { problem: string }> {
  const problem = tooFast(frame, res);
  if (problem !== undefined) return { problem };
  const token = tokenOf(fieldsOf(res.req)['token'] ?? '');
  try {
    return await inspectPasted(frame.context, {
      token,
      accountId: signedInPerson(res.req).accountId,
      trace: traceOf(res),
    });
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    res.status(503);
    return { problem: UNANSWERED };
  }
}

function takeToken(frame: PageShell): RequestHandler {
  return async (req, res, next) => {
    const pasted = await inspect(frame, res);
    if ('problem' in pasted) return show(frame, res, { token: pasted.problem });
    if (pasted.found === 'yours') return res.redirect(303, `/apps/${pasted.clientId}`);
    if (pasted.found !== 'can be proven') return show(frame, res, { token: foundWords(frame, pasted.found) });
    const { clientId, evidence } = pasted;
    // The page of the app says why the token cannot be connected any more.
    if (oldApiStatusOf(appLifecycleNow(frame.context, clientId)).phase === 'ended')
      return res.redirect(303, `/apps/${clientId}`);
    const asked = { clientId, accountId: signedInPerson(req).accountId, evidence };
    return leaveToReauthorize(frame.parts, { ...asked, isOther: wantsAnother(req) }, [req, res, next]);
  };
}

/** Adds the page for pasting a token. */
export function pasteTokenRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/paste-token', frame.requirePerson, (_req, res) => show(frame, res));
  router.post('/apps/paste-token', refuseOnCopy(frame.context), takeToken(frame));
}
