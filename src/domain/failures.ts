/** Every failure that a caller of the domain may meet; callers import them from here alone. */
export { isStorageFault } from '../store/storage-fault.ts';
export { Forbidden } from '../upstream/main-api.ts';
export { Rejected, Unavailable } from '../upstream/outcomes.ts';
export { GrantDead } from './access-token.ts';
export { TooManyGuesses } from './old-api/ask-limit.ts';
export { TokenRefused } from './resolve-token.ts';
export { alarmOf, isKeyFault } from './under-all-keys.ts';
