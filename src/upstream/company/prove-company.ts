import type { Configuration } from 'openid-client';
import { newOpaqueValue } from '../../shared/ids.ts';
import { send } from '../http-client.ts';
import { companyFailure } from './company-failures.ts';
import { type CompanyClient, createConfiguration, openidClient } from './configuration.ts';
import { createCompanyProvider } from './company-provider.ts';

/** What `doctor` asks of the identity provider. No question signs anybody in. */
export interface CompanyProof {
  /** What the provider said of a made-up code: `invalid_grant` where it knows the client. */
  said: string;
  /** The status of the first answer to a sign-in. */
  status: number;
  /** The error that the provider sends back for a sign-in, such as a scope that it does not know. */
  fault: string | undefined;
}

async function saidOfMadeUpCode(found: Configuration, redirectUri: string): Promise<string> {
  const { authorizationCodeGrant } = await openidClient();
  const state = newOpaqueValue();
  const address = new URL(redirectUri);
  address.searchParams.set('code', newOpaqueValue());
  address.searchParams.set('state', state);
  address.searchParams.set('iss', found.serverMetadata().issuer);
  const checks = {
    expectedState: state,
    expectedNonce: newOpaqueValue(),
    pkceCodeVerifier: newOpaqueValue(),
  };
  return authorizationCodeGrant(found, address, checks).then(
    () => 'a made-up code was accepted',
    (error: unknown) => {
      const failure = companyFailure(error);
      if ('code' in failure && failure.code !== undefined) return failure.code;
      throw failure;
    },
  );
}

/** The error in an answer that leads back at once. */
function faultIn(location: string | undefined, redirectUri: string): string | undefined {
  if (!location?.startsWith(redirectUri)) return undefined;
  return new URL(location).searchParams.get('error') ?? undefined;
}

/**
 * Asks who the provider is, whether it knows the client, and whether a sign-in would begin.
 * @throws {Unavailable | SignInRefused}
 */
export async function proveCompany(client: CompanyClient, redirectUri: string): Promise<CompanyProof> {
  const found = await createConfiguration(client)();
  const said = await saidOfMadeUpCode(found, redirectUri);
  const [state, nonce, verifier] = [newOpaqueValue(), newOpaqueValue(), newOpaqueValue()];
  const url = await createCompanyProvider(client).authorizationUrl(
    { redirectUri, state, nonce, verifier },
    false,
  );
  const { status, headers } = await send({ method: 'GET', url, headers: { Accept: 'text/html' } });
  return { said, status, fault: faultIn(headers['location'], redirectUri) };
}
