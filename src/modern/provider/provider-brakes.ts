import { RateLimiterMemory } from 'rate-limiter-flexible';
import { addressKey } from '../../shared/net/addresses.ts';
import { secondsToWait } from '../brake.ts';
import { AUTHORIZATION_REQUESTS_SECONDS } from '../lifetimes.ts';
import { createSecretBrake } from '../secret-brake.ts';

/** Far more than the people behind one address begin, also where programs try consents by the thousand. */
export const REQUESTS_PER_ADDRESS = 3000;

/**
 * Brake on GET /auth: whole seconds until an address may begin another authorization request. 0: at once. Nobody needs
 * to sign in to begin a request, and the store keeps each request for an hour.
 */
export type AuthorizationBrake = (address: string) => Promise<number>;

function createAuthorizationBrake(): AuthorizationBrake {
  const byAddress = new RateLimiterMemory({
    points: REQUESTS_PER_ADDRESS,
    duration: AUTHORIZATION_REQUESTS_SECONDS,
  });
  return (address) => secondsToWait(() => byAddress.consume(addressKey(address)));
}

/** The brakes of the authorization server. */
export type ProviderBrakes = ReturnType<typeof createProviderBrakes>;

export const createProviderBrakes = () => ({
  /** Counts the wrong secrets of apps. */
  secrets: createSecretBrake(),
  authorizations: createAuthorizationBrake(),
});
