import type { Config } from '../../../config/config.ts';
import { redactText } from '../../../shared/log/redaction.ts';
import { type CompanyProof, proveCompany } from '../../../upstream/company/prove-company.ts';
import { type CheckVerdict, notLookedAt, ok } from '../../../domain/checks/verdict.ts';
import { failure, proving } from './verdict.ts';

/** What `doctor` asks of the identity provider at which staff sign in. */

const CLIENT = 'STAFF_OIDC_CLIENT_ID and STAFF_OIDC_CLIENT_SECRET';

/** What is wrong, in words; undefined where a sign-in would begin. */
function problemOf({ said, status, fault }: CompanyProof, redirectUri: string): string | undefined {
  if (said !== 'invalid_grant')
    return `${CLIENT}: the identity provider refuses the client (${redactText(said)})`;
  if (fault !== undefined)
    return `STAFF_OIDC_SCOPES: the identity provider answers a sign-in with ${redactText(fault)}`;
  if (status >= 400)
    return `PUBLIC_URL: the identity provider refuses ${redirectUri} with a page (${status}). Register exactly this redirect URI for the client`;
  return undefined;
}

/** Whether the identity provider answers, knows the client and lets a sign-in begin. */
export async function checkCompany({ company, companySecret, publicUrl }: Config): Promise<CheckVerdict> {
  if (!company || companySecret === undefined)
    return notLookedAt('STAFF_OIDC_ISSUER is not set, so staff sign in with their account at the new API');
  const redirectUri = `${publicUrl}/sign-in/company/return`;
  const server = `STAFF_OIDC_ISSUER: ${company.issuer}`;
  const proof = await proving(
    { server },
    proveCompany({ ...company, clientSecret: companySecret }, redirectUri),
  );
  const problem = problemOf(proof, redirectUri);
  if (problem !== undefined) throw failure(problem);
  return ok(
    `${company.issuer} accepted the client, and a sign-in with ${redirectUri} begins (${proof.status}). Only a sign-in shows whether the claim ${company.roleClaim} comes`,
  );
}
