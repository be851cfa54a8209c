import type { Request } from 'express';
import OAuth2Strategy, { type VerifyCallback } from 'passport-oauth2';
import type { Consented } from '../../domain/grants/consenting-account.ts';
import type { ConsentClient } from '../../domain/grants/modern-client.ts';

/**
 * passport-oauth2 for the shape of the redirect, PKCE and state; everything that touches the network or the outcome is
 * ours, because the library's own exchange has no timeout, follows redirects, takes broken answers for good ones and
 * can end the process (docs/decisions/0020). One instance serves one step of one consent.
 */

/** Where the step's `state` and verifier live; `takeVerifier` is only asked for a return that was claimed before. */
export interface ConsentStep {
  client: ConsentClient;
  keepVerifier(verifier: string): Promise<string>;
  takeVerifier(): string | undefined;
}

export interface StrategyOptions {
  server: ConsentClient['server'];
  clock: { now(): number };
  callbackUrl: string;
  scopes: string;
}

type Stored = (error: Error | null, state?: string) => void;
type Verified = (error: Error | null, verifier: string | false, info?: { message: string }) => void;

/** The library tells the two forms apart by the number of parameters, so all of them are named. */
function storeOf(step: ConsentStep) {
  return {
    // oxlint-disable-next-line max-params -- the library's signature
    store(_req: Request, verifier: string, _state: unknown, _meta: unknown, done: Stored): void {
      step
        .keepVerifier(verifier)
        .then((state) => done(null, state))
        // What fails behind it too, where the library sends the redirect, is this request's own.
        .catch((error: unknown) => done(error as Error));
    },
    // oxlint-disable-next-line max-params -- the library's signature
    verify(_req: Request, _state: string, _meta: unknown, done: Verified): void {
      const verifier = step.takeVerifier();
      done(null, verifier ?? false, { message: 'unknown state' });
    },
  };
}

/** Hands the pair on as passport's user. */
// oxlint-disable-next-line max-params -- the library's signature
function verify(
  _access: string,
  _refresh: string,
  consented: Consented,
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
type Exchanged = (error: unknown, access?: string, refresh?: string, consented?: Consented) => void;

export class ModernStrategy extends OAuth2Strategy {
  constructor({ server, clock, callbackUrl, scopes: scope }: StrategyOptions, step: ConsentStep) {
    const options = {
      authorizationURL: server.authorizationUrl,
      tokenURL: server.authorizationUrl,
      clientID: server.clientId,
      clientSecret: '',
      callbackURL: callbackUrl,
      scope,
      pkce: 'S256',
      state: true,
      store: storeOf(step),
      skipUserProfile: true,
    };
    super(options as unknown as OAuth2Strategy.StrategyOptions, verify as OAuth2Strategy.VerifyFunction);
    const exchange = (code: string, parameters: TokenParameters, done: Exchanged): void => {
      const sentAt = clock.now();
      server
        .exchangeCode({
          code,
          codeVerifier: parameters.code_verifier,
          redirectUri: parameters.redirect_uri,
          scope,
        })
        .then((pair) => {
          const consented = { pair, sentAt, modernClientId: server.clientId };
          done(null, pair.accessToken, pair.refreshToken, consented);
        })
        .catch((error: unknown) => done(error));
    };
    Object.assign(this._oauth2, { getOAuthAccessToken: exchange });
  }

  /** A consent of its own each time; without it the refresh token is left out silently (OpenID Connect Core §11). */
  override authorizationParams(): object {
    return { prompt: 'consent' };
  }
}
