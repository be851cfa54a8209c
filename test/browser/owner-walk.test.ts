import { walkAsOwner } from './support/owner-walks.ts';

walkAsOwner(['finds the token that waits, connects it at the account and sees it working']);
