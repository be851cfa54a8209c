/** The failures that several addresses answer. A refusal that one address handles is imported from its room. */
export { isStorageFault } from '../store/driver/storage-fault.ts';
export { Forbidden, isNotShown } from '../upstream/main-api.ts';
export { AnswerLost, Rejected, Unavailable } from '../upstream/outcomes.ts';
export { GrantDead } from './grants/refresh/access-token.ts';
export { LimitReached } from './limits/limit-reached.ts';
export { ScopeMissing } from './posts/scope-missing.ts';
export { TokenRefused } from './tokens/resolve-token.ts';
export { alarmOf, isKeyFault } from './keys/retry-after-key-rotation.ts';
