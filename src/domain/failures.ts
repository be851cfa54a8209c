/** The failures that several addresses answer. A refusal that one address handles is imported from its room. */
export { isStorageFault } from '../store/driver/storage-fault.ts';
export { Forbidden, OrganizationGone } from '../upstream/main-api.ts';
export { Rejected, Unavailable } from '../upstream/outcomes.ts';
export { GrantDead } from './grants/refresh/access-token.ts';
export { ReadGivesWay } from './limits/fair-shares.ts';
export { TooManyGuesses } from './old-api/ask-limit.ts';
export { BudgetSpent } from './limits/budget-spent.ts';
export { ScopeMissing } from './posts/scope-missing.ts';
export { TokenRefused } from './tokens/resolve-token.ts';
export { alarmOf, isKeyFault } from './keys/retry-after-key-rotation.ts';
