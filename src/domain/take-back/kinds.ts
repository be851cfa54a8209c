import type { DeedKind, DeedLoss, DeedThing } from '../../store/tables/deeds.ts';
import type { StaffRole } from '../accounts/staff.ts';
import {
  cutOverRules,
  extensionRules,
  handoverRules,
  oldIdRules,
  ownerRules,
  retiredRules,
  shareRules,
} from './things/others.ts';
import type { ThingRules } from './things/thing.ts';
import { tokenRules } from './things/token.ts';

/** What can be taken back: who may, and in which words it is told. */

interface KindRules {
  /**
   * The role that may do the action may take it back. Staff confirm no hand-over, since the app does; for its taking back
   * docs/decisions/0036 names the role.
   */
  needs: StaffRole;
  /** What the action was, after “Take back”. */
  noun: string;
  /** What is so again afterwards. */
  back: string;
}

/** By what was done. */
export const KINDS: Readonly<Record<DeedKind, KindRules>> = {
  revoke: {
    needs: 'agent',
    noun: 'the revocation',
    back: 'The token stands again as it stood before it was revoked.',
  },
  assign: {
    needs: 'agent',
    noun: 'the assignment',
    back: 'The token is with its former app again, as it was before.',
  },
  pin: {
    needs: 'lead',
    noun: 'the pin',
    back: 'All tokens, apps and older ids that were given to the account wait for their account again, and the account no longer sees apps that are shared with the address. Links in reminders that stopped working then stay so.',
  },
  give: {
    needs: 'lead',
    noun: 'the new owner',
    back: 'The app has its former owner again, or waits for its owner as before.',
  },
  retire: {
    needs: 'lead',
    noun: 'that the app was retired',
    back: 'The app and its tokens are not refused any more because of it. What stopped or was revoked meanwhile stays so.',
  },
  cut_over: {
    needs: 'lead',
    noun: 'the cut-over',
    back: 'The percentage is as it was before, from the next call on. Posts stay where they were made.',
  },
  extend: {
    needs: 'lead',
    noun: 'the extra time',
    back: 'The app has the time that it had before. If that is past, its calls are refused at once.',
  },
  unextend: {
    needs: 'lead',
    noun: 'the end of the extra time',
    back: 'The app has its extra time again.',
  },
  confirm: {
    needs: 'agent',
    noun: 'the confirmation',
    back: 'The app can fetch the same pair once more and has to confirm again. Its old tokens stay moved.',
  },
};

/** By what was changed. */
export const THINGS: Readonly<Record<DeedThing, ThingRules>> = {
  token: tokenRules,
  owner: ownerRules,
  app: retiredRules,
  old_id: oldIdRules,
  share: shareRules,
  cut_over: cutOverRules,
  extension: extensionRules,
  handover: handoverRules,
};

/** Why a deed cannot be taken back, whatever comes. */
export const LOSSES: Readonly<Record<DeedLoss, string>> = {
  connection_ended: 'The connection behind it has ended with its last token, and the new API was told so.',
  too_many: 'It changed more than a thousand things.',
};
