import { MINUTE } from '../shared/lifetimes.ts';
import type { StaffRole } from '../store/tables/page-tables.ts';
import type { Environment } from './environment.ts';

/** The settings of the company sign-in: staff sign in at the identity provider of the operator (OpenID Connect). */

/** The identity provider, and what its claims mean here. The client secret is apart. */
export interface CompanySettings {
  issuer: string;
  clientId: string;
  scopes: string;
  /** The claim that says what a person may do here. */
  roleClaim: string;
  /** The role for each value of that claim. */
  roles: ReadonlyMap<string, StaffRole>;
  /** How long a session of staff lasts at most; in milliseconds. */
  sessionLifetime: number;
  /** Whether the accounts of `staff add` also have access, by their own sign-in. */
  alsoLocal: boolean;
}

/** The company sign-in and its client secret; undefined where staff sign in with their account at the new API. */
export function companyOf(env: Environment): { company: CompanySettings; secret: string } | undefined {
  const { STAFF_OIDC_ISSUER: issuer, STAFF_OIDC_CLIENT_ID: clientId, STAFF_OIDC_ROLES: roles } = env;
  const secret = env.STAFF_OIDC_CLIENT_SECRET;
  if (!issuer || !clientId || !secret || !roles) return undefined;
  const company = {
    issuer,
    clientId,
    roles,
    scopes: env.STAFF_OIDC_SCOPES,
    roleClaim: env.STAFF_OIDC_ROLE_CLAIM,
    sessionLifetime: env.STAFF_OIDC_SESSION_MINUTES * MINUTE,
    alsoLocal: env.STAFF_OIDC_ALSO_LOCAL,
  };
  return { company, secret };
}
