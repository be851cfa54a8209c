import type { RequestHandler } from 'express';
import passportLibrary from 'passport';
import type { ConsentedPair } from '../../domain/grants/consenting-account.ts';
import { type AuthorizationRequest, hasLeft } from '../../domain/authorization/consent.ts';
import type { SigninDeps } from './deps.ts';
import {
  bridgeClient,
  clientThatLeft,
  type ConsentClient,
  consentClientOf,
} from '../../domain/grants/modern-client.ts';
import type { PageRenderer } from '../../shared/pages.ts';
import { createRefusalLog, type RefusalRecorder } from '../../shared/log/refusal-log.ts';
import { type BrowserCookies, createBrowserCookies } from './browser-cookie.ts';
import { type ConsentStep, ModernStrategy } from './modern-strategy.ts';
import { sessions } from './session.ts';
import { createSignInCookies, type SignInCookies } from './sign-in-cookie.ts';
import { createSignedOutMark, type SignedOutMark } from './signed-out-cookie.ts';

/** Shared by the pages of sign-in and approval. */
export interface SigninPagesDeps {
  context: SigninDeps;
  pages: PageRenderer;
  /** Logs a failure that a person who is not signed in can cause. */
  noteFailure: RefusalRecorder;
  browsers: BrowserCookies;
  signIns: SignInCookies;
  signedOut: SignedOutMark;
  /** The same for staff of the company. */
  companySignedOut: SignedOutMark;
  /** Finds the signed-in person of this browser, for the pages that ask. */
  sessions: RequestHandler;
  /** The client for a request: the client of its app, or the bridge's own client for a sign-in. */
  clientFor(request: Pick<AuthorizationRequest, 'purpose' | 'client_id'>): Promise<ConsentClient>;
  /**
   * The client through which the browser of a returned request left.
   * @throws {UnknownClient} the bridge does not know this client any more
   */
  clientOf(request: AuthorizationRequest): Promise<ConsentClient>;
  /** Sends the browser to the consent at the new API. */
  leave(step: ConsentStep): RequestHandler;
  /** Exchanges the code of a claimed return at the new API. Rejects with one of the three upstream failures. */
  exchange(step: ConsentStep, exchanged: Parameters<RequestHandler>): Promise<ConsentedPair>;
}

/** A sign-in reads who the person is, and keeps nothing (docs/decisions/0018). */
const SIGN_IN_SCOPES = 'account:read';

/** The library wraps the error that the bridge's exchange threw. */
function unwrap(error: unknown): unknown {
  return (error as { oauthError?: unknown }).oauthError ?? error;
}

/** Builds the shared parts once. */
export function createSigninParts(context: SigninDeps, pages: PageRenderer): SigninPagesDeps {
  const { publicUrl } = context.settings;
  const passport = new passportLibrary.Authenticator();
  const strategyFor = (step: ConsentStep) => {
    const callbackUrl = publicUrl + step.client.callbackPath;
    return new ModernStrategy({ ...step.client, clock: context.clock, callbackUrl }, step);
  };
  const clientFor: SigninPagesDeps['clientFor'] = async ({ purpose, client_id: clientId }) =>
    purpose === 'sign_in' || clientId === null
      ? bridgeClient(context, SIGN_IN_SCOPES)
      : consentClientOf(context, clientId);
  return {
    context,
    pages,
    noteFailure: createRefusalLog({ logger: context.logger, lines: 10 }),
    browsers: createBrowserCookies(publicUrl),
    signIns: createSignInCookies(publicUrl),
    signedOut: createSignedOutMark(publicUrl),
    companySignedOut: createSignedOutMark(publicUrl, 'company_signed_out'),
    sessions: sessions(context),
    clientFor,
    // A request of an earlier version does not say, so the present client of its app is tried.
    clientOf: (request) => (hasLeft(request) ? clientThatLeft(context, request) : clientFor(request)),
    leave: (step) => passport.authenticate(strategyFor(step), { session: false }) as RequestHandler,
    exchange: (step, exchanged) =>
      new Promise((resolve, reject) => {
        const settle = (error: unknown, consented: unknown) => {
          if (error) return reject(unwrap(error));
          if (!consented) return reject(new Error('the strategy refused a claimed return'));
          resolve(consented as ConsentedPair);
        };
        const handler = passport.authenticate(
          strategyFor(step),
          { session: false },
          settle,
        ) as RequestHandler;
        void handler(...exchanged);
      }),
  };
}
