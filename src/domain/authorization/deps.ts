import type { OldApiDeps } from '../old-api/deps.ts';
import type { CompanyProvider } from '../../upstream/company/company-provider.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type AuthorizationDeps = OldApiDeps;

/** What the company sign-in needs besides. */
export interface CompanySignInDeps extends AuthorizationDeps {
  company: CompanyProvider | undefined;
}
