import type { Request, RequestHandler, Response } from 'express';
import {
  describeFailedExchange,
  describeRefusedConsent,
  type Failure,
  lostSession,
  unreachable,
} from './failures.ts';
import type { Message } from './message.ts';
import { type OldApi, readAnswer } from './old-api.ts';
import type { ClientResult } from './old-client.ts';
import { addStep, type DemoSession, type Profile } from './session.ts';
import type { WireExchange, Wire } from './wire.ts';

const WITH_CODE = 'After the approval; the code in the address lives for 30 seconds and can be used once.';
const WITHOUT_CODE = 'Without an approval the address names an error in place of a code.';
const empty: Message = { line: '', headers: '', body: '' };

/** The demo state of the session; empty when missing. An empty state is not stored: most requests begin nothing. */
export const demoOf = (req: Request): DemoSession => req.session.demo ?? { profiles: [], steps: [] };

/** Ends a request with the page that explains the failure. */
export type FailureHandler = (req: Request, res: Response, failure: Failure) => void;

/**
 * Runs before the library sends the browser to the bridge. Clears the demo state and copies the address that the
 * library builds.
 */
export function startConnecting(oldApi: OldApi, fail: FailureHandler): RequestHandler {
  return async (req, res, next) => {
    if (!(await oldApi.answers())) return fail(req, res, unreachable);
    const demo: DemoSession = { profiles: [], steps: [] };
    req.session.demo = demo;
    const redirect = res.redirect.bind(res) as (address: string) => void;
    res.redirect = ((address: string) => {
      addStep(demo, {
        title: 'The app sends the browser to the authorization page',
        remark: 'A plain link: client_id, the callback address, response_type=code, and a random state.',
        request: { ...empty, line: `GET ${address}` },
        answer: undefined,
        isBrowser: true,
      });
      redirect(address);
    }) as typeof res.redirect;
    next();
  };
}

/**
 * Runs before the library reads the callback. Keeps the address, and runs the library while the exchange is recorded.
 */
export function recordCallback(wire: Wire): RequestHandler {
  return (req, res, next) => {
    const back = `GET ${req.originalUrl}`;
    res.locals['back'] = { ...empty, line: back, headers: `Host: ${req.get('host')}` };
    wire.record((exchanges) => {
      res.locals['exchanges'] = exchanges;
      next();
    });
  };
}

/**
 * Runs after the library. Keeps the token and the steps, reads the account and its profiles, and shows the whole flow.
 */
export function finishAuthorization(oldApi: OldApi, fail: FailureHandler): RequestHandler {
  return async (req, res) => {
    const result = (res.locals['grant'] as { response?: ClientResult } | undefined)?.response;
    const [exchange] = (res.locals['exchanges'] as () => WireExchange[])();
    const demo = demoOf(req);
    req.session.demo = demo;
    recordReturn(demo, res.locals['back'] as Message, exchange);
    const error = req.query['error'];
    if (typeof error === 'string') return fail(req, res, describeRefusedConsent(error));
    if (!exchange && String(result?.error).startsWith('Grant:')) return fail(req, res, lostSession);
    if (!result?.access_token) return fail(req, res, describeFailedExchange(exchange?.answer));
    demo.token = result.access_token;
    await readAccount(demo, oldApi);
    res.redirect('/flow');
  };
}

function recordReturn(demo: DemoSession, back: Message, exchange: WireExchange | undefined): void {
  addStep(demo, {
    title: 'The bridge sends the browser back',
    remark: /[?&]error=/.test(back.line) ? WITHOUT_CODE : WITH_CODE,
    request: back,
    answer: undefined,
    isBrowser: true,
  });
  if (!exchange) return;
  addStep(demo, {
    title: 'The app exchanges the code for a token',
    remark: 'One form POST from the app itself. The answer is the long-lived token and nothing else.',
    ...exchange,
  });
}

async function readAccount(demo: DemoSession, oldApi: OldApi): Promise<void> {
  const user = await oldApi.readUser(demo.token ?? '');
  const { name, id } = (readAnswer(user.answer) ?? {}) as { name?: string; id?: string };
  demo.person = name ?? id;
  addStep(demo, {
    title: 'The app asks whose token it is',
    remark: 'Here the token travels in the Authorization header.',
    ...user,
  });
  await readProfiles(demo, oldApi);
}

/** Reads the profiles and adds the step. Returns the exchange, so that the caller can report a failure. */
export async function readProfiles(demo: DemoSession, oldApi: OldApi): Promise<WireExchange> {
  const exchange = await oldApi.readProfiles(demo.token ?? '');
  const profiles = readAnswer(exchange.answer);
  demo.profiles = Array.isArray(profiles) ? (profiles as Profile[]) : [];
  addStep(demo, {
    title: 'The app reads the profiles',
    remark: 'Here the token travels in the address, as many old programs send it.',
    ...exchange,
  });
  return exchange;
}
