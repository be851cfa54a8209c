import type { Request, RequestHandler, Response } from 'express';
import type { LegacyDeps } from './deps.ts';
import { dependsOnApp, type LifecycleEnding, endingOf } from '../../domain/lifecycle/lifecycle.ts';
import { findByToken } from '../../domain/tokens/resolve-token.ts';
import { provenApp } from '../../domain/tokens/proven-app.ts';
import { createRefusalLog } from '../../shared/log/refusal-log.ts';
import { dayOf } from '../../shared/moments.ts';
import { nameCarrier, requestFacts } from '../request-log.ts';
import { PageError } from '../pages/page-error.ts';
import { readBodyOfCall, readBodyOfTokenRequest } from '../wire/read-body.ts';
import { tellDates } from '../wire/added-headers.ts';
import { type CarriedToken, tokenIfAny } from '../wire/bearer-token.ts';
import { brownoutText } from './brownout-text.ts';
import { noteRefusedCall } from './refused-call-usage.ts';
import { LegacyError, sendLegacyError } from '../wire/legacy-error.ts';
import { clientIdInQuery, clientOfTokenRequest } from './named-app.ts';
import { asWriteRefusal } from './posts/write-answers.ts';
import { noteUsage } from './usage-note.ts';

/**
 * The answer of the old addresses from the sunset on, and in a brownout that rehearses the sunset
 * (docs/decisions/0012): 410, for every method and whatever the call holds. The answer waits for the app of the call
 * only while apps differ. At other times the app is looked up after the answer (refused-call-usage.ts). There is no
 * `Retry-After`, in a brownout either: a client that waits would hide the brownout from its people.
 */

/** The caller, as far as the bridge can know the caller before the call is served. */
interface Caller {
  clientId: string | undefined;
  carrier: CarriedToken['carrier'];
  mapping: Awaited<ReturnType<typeof findByToken>>;
}

type CallerFinder = (req: Request) => Promise<Caller>;

interface GatedAddress {
  readBody: RequestHandler | undefined;
  identify: CallerFinder;
  /** Whether calls of this address carry a token. A token proves the app of a call. */
  takesTokens: boolean;
}

/**
 * Identifies the caller by the token alone, because the token proves the app. Without a token, or with a token that the
 * bridge has never seen, the common dates count. The app that the call names does not count: anybody may name an app
 * that has an extension or rehearses.
 */
async function callerOf(context: LegacyDeps, req: Request): Promise<Caller> {
  const found = await tokenIfAny(req);
  if (found && req.res) nameCarrier(req.res, found.carrier);
  const mapping = found && (await findByToken(context, found.token));
  return { clientId: mapping && provenApp(mapping), carrier: found?.carrier ?? 'header', mapping };
}

/**
 * Identifies the caller of the code exchange by the credentials alone, which are checked later. A token says nothing
 * there.
 */
async function callerByCredentials(req: Request): Promise<Caller> {
  return { ...(await clientOfTokenRequest(req)), mapping: undefined };
}

/** At an address that people open, only the address itself is read. */
async function callerInAddress(req: Request): Promise<Caller> {
  return { clientId: clientIdInQuery(req), carrier: 'query', mapping: undefined };
}

interface EndedCall {
  ending: LifecycleEnding;
  caller: Caller | undefined;
  takesTokens: boolean;
}

/**
 * Measures a call that ends here. Where the answer does not wait for the app, the call is measured after the answer.
 */
function note(context: LegacyDeps, { ending, caller, takesTokens }: EndedCall, req: Request): void {
  const brownout = ending.because === 'brownout' ? ending.brownout : undefined;
  if (caller) noteUsage(context, { ...caller, brownout }, req);
  else if (takesTokens) noteRefusedCall(context, req, brownout);
}

/** Why the call gets 410; undefined where the call goes on. The date headers of the answer are set to match. */
async function meet(
  context: LegacyDeps,
  { readBody, identify, takesTokens }: GatedAddress,
  req: Request,
): Promise<LifecycleEnding | undefined> {
  const [lifecycle, now] = [context.lifecycle.current(), context.clock.now()];
  const isCommon = !dependsOnApp(lifecycle, 'sunset', now);
  if (!isCommon) await readBody?.(req, req.res as Response, () => undefined);
  const caller = isCommon ? undefined : await identify(req);
  const clientId = caller?.clientId;
  const ending = endingOf(lifecycle, 'sunset', { clientId, now });
  if (!ending) return undefined;
  if (req.res) tellDates(context, req.res, { clientId, isSunset: true });
  note(context, { ending, caller, takesTokens }, req);
  return ending;
}

function textOf(context: LegacyDeps, ending: LifecycleEnding): string {
  if (ending.because === 'brownout') return brownoutText(context, ending.brownout);
  return `This API ended on ${dayOf(ending.at)} (UTC). Read how to move to the new API at ${context.settings.publicUrl}/lifecycle`;
}

/** `isExchange`: a failure of the exchange has an `error_description` too (RFC 6749 §5.2). */
function sendGone(
  context: LegacyDeps,
  res: Response,
  { ending, isExchange }: { ending: LifecycleEnding; isExchange: boolean },
): void {
  const [text, link] = [textOf(context, ending), `${context.settings.publicUrl}/lifecycle`];
  const extra = isExchange ? { link, error_description: text } : { link };
  const refusal = new LegacyError([410, 410, text], { extra });
  sendLegacyError(res, asWriteRefusal(context, res, refusal));
}

/**
 * The line of an exchange that ends here, as others that are refused have it. The credentials were not checked, so only an
 * app that rehearses is named: the outage is its own.
 */
function tellExchange({ logger }: LegacyDeps) {
  const noteRefusal = createRefusalLog({ logger });
  return (res: Response, ending: LifecycleEnding): void => {
    const clientId = ending.because === 'brownout' ? ending.brownout.clientId : undefined;
    const said = { refusal: 'gone', detail: ending.because, clientId, answeredBy: 'bridge' };
    const fields = { ...said, ...requestFacts(res.req, res.status(410)) };
    const message = 'a legacy exchange was refused';
    noteRefusal({ level: 'info', message, address: res.req.ip ?? '', kind: 'gone', fields });
  };
}

/** The page for an address that people open. */
function gonePage(context: LegacyDeps, ending: LifecycleEnding): PageError {
  const title = 'Apps can no longer be connected here';
  if (ending.because === 'date')
    return new PageError(410, title, {
      reason: 'The app that sent you here uses an old API, and that API has ended.',
      next: 'Tell the people who make the app that it has to move to the new API. How and since when is told here:',
      wayOn: { href: `${context.settings.publicUrl}/lifecycle`, label: 'Dates of the old API' },
    });
  return new PageError(410, 'Apps cannot be connected here for the moment', {
    reason: brownoutText(context, ending.brownout),
    next: 'Go back to the app and try again after that time.',
  });
}

export interface LifecycleGate {
  /** For addresses that programs call with a token. */
  json: RequestHandler;
  /** For the address where programs exchange codes. */
  exchange: RequestHandler;
  /** For an address that people open: GET and HEAD get a page. */
  page: RequestHandler;
}

/** The gate before the old addresses. The gate reads a body with the same reader as the handler after it. */
export function createLifecycleGate(context: LegacyDeps): LifecycleGate {
  const forPrograms =
    (way: GatedAddress, tell?: (res: Response, ending: LifecycleEnding) => void): RequestHandler =>
    async (req, res, next) => {
      const ending = await meet(context, way, req);
      if (!ending) return next();
      tell?.(res, ending);
      sendGone(context, res, { ending, isExchange: tell !== undefined });
    };
  const identify: CallerFinder = (req) => callerOf(context, req);
  const byCredentials = { identify: callerByCredentials, takesTokens: false };
  const inAddress = { readBody: undefined, identify: callerInAddress, takesTokens: false };
  return {
    json: forPrograms({ readBody: readBodyOfCall(context), identify, takesTokens: true }),
    exchange: forPrograms({ readBody: readBodyOfTokenRequest, ...byCredentials }, tellExchange(context)),
    page: async (req, res, next) => {
      const ending = await meet(context, inAddress, req);
      if (!ending) return next();
      if (!['GET', 'HEAD'].includes(req.method)) return sendGone(context, res, { ending, isExchange: false });
      throw gonePage(context, ending);
    },
  };
}
