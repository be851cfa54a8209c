import type { Request } from 'express';
import OAuth2Strategy, { type VerifyCallback } from 'passport-oauth2';
import type { StartedConsent } from '../../domain/authorization/consent.ts';
import type { ConsentedPair } from '../../domain/grants/consenting-account.ts';
import type { CallingRequest } from '../../shared/trace/calling-request.ts';
import type { ConsentClient } from '../../domain/grants/modern-client.ts';
import { sha256Of } from '../../shared/secrets.ts';

/**
 * passport-oauth2 gives the shape of the redirect, PKCE and state. The bridge does everything that touches the network
 * or the outcome: the library's own exchange has no timeout, follows redirects, accepts broken answers and can end the
 * process (docs/decisions/0020). One instance serves one step of one consent.
 */

/**
 * Which pages the new API must show (OpenID Connect Core §3.1.2.1), whatever it remembers. A consent that gives a refresh
 * token must be asked for, because the new API leaves the refresh token out otherwise (§11). A sign-in keeps nothing, so
 * a consent that the new API remembers is enough. `login` leads to the account page even when somebody is signed in
 * there: the person wants another account.
 */
export type ConsentPrompt = 'consent' | 'login consent' | 'login' | undefined;

/** Where the step's `state` and verifier live. `takeVerifier` is called only for a return that was claimed before. */
export interface ConsentStep {
  client: ConsentClient;
  prompt?: ConsentPrompt;
  /** Stores the verifier, or finds the one of an earlier click, with the `state` that belongs to it. */
  keepVerifier(verifier: string): Promise<StartedConsent>;
  takeVerifier(): string | undefined;
  /** The request that brings the code. */
  calling?: CallingRequest;
}

type ConsentServer = ConsentClient['server'];

export interface StrategyOptions {
  server: ConsentServer;
  clock: { now(): number };
  callbackUrl: string;
  scopes: string;
}

type StateCallback = (error: Error | null, state?: string) => void;
type VerifierCallback = (error: Error | null, verifier: string | false, info?: { message: string }) => void;

type RedirectParameters = Record<string, string>;

/**
 * The library tells the two forms of the store apart by the number of parameters, so every parameter is named. It makes
 * the redirect from `asked` after `store`, so the challenge can still become that of an earlier click.
 */
function storeOf(step: ConsentStep, asked: RedirectParameters) {
  return {
    // oxlint-disable-next-line max-params -- the library's signature
    store(_req: Request, verifier: string, _state: unknown, _meta: unknown, done: StateCallback): void {
      step
        .keepVerifier(verifier)
        .then((started) => {
          asked['code_challenge'] = sha256Of(started.verifier).toString('base64url');
          done(null, started.state);
        })
        // This also catches failures of `done`, in which the library sends the redirect. They belong to this request.
        .catch((error: unknown) => done(error as Error));
    },
    // oxlint-disable-next-line max-params -- the library's signature
    verify(_req: Request, _state: string, _meta: unknown, done: VerifierCallback): void {
      const verifier = step.takeVerifier();
      done(null, verifier ?? false, { message: 'unknown state' });
    },
  };
}

/** Passes the token pair on as passport's user. */
// oxlint-disable-next-line max-params -- the library's signature
function verify(
  _access: string,
  _refresh: string,
  consented: ConsentedPair,
  _profile: unknown,
  done: VerifyCallback,
): void {
  done(null, consented);
}

interface TokenParameters {
  code_verifier: string;
  redirect_uri: string;
}

// oxlint-disable-next-line max-params -- the library's signature
type ExchangeCallback = (
  error: unknown,
  access?: string,
  refresh?: string,
  consented?: ConsentedPair,
) => void;

/** The connection is given back where the bridge became silent before it used the connection. */
async function exchangeOnce(server: ConsentServer, code: Parameters<ConsentServer['exchangeCode']>[1]) {
  const connection = await server.connectForExchange();
  try {
    return await server.exchangeCode(connection, code);
  } finally {
    connection.reset();
  }
}

export class ModernStrategy extends OAuth2Strategy {
  readonly #asked: RedirectParameters;

  constructor({ server, clock, callbackUrl, scopes: scope }: StrategyOptions, step: ConsentStep) {
    const asked: RedirectParameters = step.prompt === undefined ? {} : { prompt: step.prompt };
    const options = {
      authorizationURL: server.authorizationUrl,
      tokenURL: server.authorizationUrl,
      clientID: server.clientId,
      clientSecret: '',
      callbackURL: callbackUrl,
      scope,
      pkce: 'S256',
      state: true,
      store: storeOf(step, asked),
      skipUserProfile: true,
    };
    super(options as unknown as OAuth2Strategy.StrategyOptions, verify as OAuth2Strategy.VerifyFunction);
    const exchange = (code: string, parameters: TokenParameters, done: ExchangeCallback): void => {
      const sentAt = clock.now();
      exchangeOnce(server, {
        code,
        codeVerifier: parameters.code_verifier,
        redirectUri: parameters.redirect_uri,
        scope,
        trace: step.calling?.trace,
      })
        .then((pair) => {
          const { calling } = step;
          const consented = { pair, sentAt, modernClientId: server.clientId, calling };
          done(null, pair.accessToken, pair.refreshToken, consented);
        })
        .catch((error: unknown) => done(error));
    };
    Object.assign(this._oauth2, { getOAuthAccessToken: exchange });
    this.#asked = asked;
  }

  override authorizationParams(): object {
    return this.#asked;
  }
}
