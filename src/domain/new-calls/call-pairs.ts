import { OLD_CALL_NAMES, OLD_CALLS, type OldCallName } from '../old-calls/old-calls.ts';
import type { CallPair } from './call-pair.ts';
import {
  configurationPair,
  deauthorizePair,
  interactionsPair,
  sharesPair,
  updateSchedulesPair,
} from './ends.ts';
import {
  pendingUpdatesPair,
  profilePair,
  profilesPair,
  schedulesPair,
  sentUpdatesPair,
  updatePair,
  userPair,
} from './reads.ts';
import {
  changeUpdatePair,
  createUpdatePair,
  destroyUpdatePair,
  moveUpdateToTopPair,
  reorderUpdatesPair,
  shareUpdatePair,
  shuffleUpdatesPair,
} from './writes.ts';

/** Each of the nineteen old calls with its replacement at the new API. */
export const CALL_PAIRS: Readonly<Record<OldCallName, CallPair>> = {
  user: userPair,
  profiles: profilesPair,
  profile: profilePair,
  deauthorize: deauthorizePair,
  schedules: schedulesPair,
  updateSchedules: updateSchedulesPair,
  pendingUpdates: pendingUpdatesPair,
  sentUpdates: sentUpdatesPair,
  reorderUpdates: reorderUpdatesPair,
  shuffleUpdates: shuffleUpdatesPair,
  createUpdate: createUpdatePair,
  update: updatePair,
  interactions: interactionsPair,
  changeUpdate: changeUpdatePair,
  shareUpdate: shareUpdatePair,
  destroyUpdate: destroyUpdatePair,
  moveUpdateToTop: moveUpdateToTopPair,
  shares: sharesPair,
  configuration: configurationPair,
};

/** `updates-id-share` for `/1/updates/:id/share`. */
function anchorFrom(path: string): string {
  return path
    .split('/')
    .slice(2)
    .map((segment) => segment.replace(':', ''))
    .join('-');
}

/** The anchor of each call on the page of all calls. Answers link to these anchors: a name never changes. */
export const ANCHORS = Object.fromEntries(
  OLD_CALL_NAMES.map((name) => [name, anchorFrom(OLD_CALLS[name].paths[0])]),
) as Readonly<Record<OldCallName, string>>;
