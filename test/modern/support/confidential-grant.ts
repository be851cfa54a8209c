import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { CONFIDENTIAL, consent, exchange } from './modern.ts';
import { base, withModern } from './running-modern.ts';
import { confidential, exchangeFieldsOf, type Fields, refreshFieldsOf } from './token-requests.ts';

/** One code and one refresh token of the confidential app: every refusal must leave both as they are. */

export let code: { code: string; verifier: string };
export let tokens: Record<string, string | number>;

/** One modern generation for all tests of a file, at which the app was granted `scope`. */
export function withConfidentialGrant(scope: string): void {
  withModern();
  beforeAll(async () => {
    const asked = { base, browser: new CookieWalker(), parameters: { client_id: CONFIDENTIAL, scope } };
    tokens = (await exchange(base, await consent(asked), confidential)).body;
    code = await consent(asked);
  });
}

export const exchangeFields = (): Fields => exchangeFieldsOf(code);
export const refreshFields = (): Fields => refreshFieldsOf(String(tokens['refresh_token']));

/** A refresh has spent the old ones. */
export function replaceTokens(next: typeof tokens): void {
  tokens = next;
}

/** Takes the secret out of the fields. */
export const NO_SECRET = { client_secret: undefined };
