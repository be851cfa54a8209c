import { OLD_CALL_NAMES, OLD_CALLS, type OldCallName } from '../old-calls/old-calls.ts';
import type { CallPair } from './call-pair.ts';
import { configuration, deauthorize, interactions, shares, updateSchedules } from './ends.ts';
import { pendingUpdates, profile, profiles, schedules, sentUpdates, update, user } from './reads.ts';
import {
  changeUpdate,
  createUpdate,
  destroyUpdate,
  moveUpdateToTop,
  reorderUpdates,
  shareUpdate,
  shuffleUpdates,
} from './writes.ts';

/** Each of the nineteen old calls with its replacement at the new API. */
export const CALL_PAIRS: Readonly<Record<OldCallName, CallPair>> = {
  user,
  profiles,
  profile,
  deauthorize,
  schedules,
  updateSchedules,
  pendingUpdates,
  sentUpdates,
  reorderUpdates,
  shuffleUpdates,
  createUpdate,
  update,
  interactions,
  changeUpdate,
  shareUpdate,
  destroyUpdate,
  moveUpdateToTop,
  shares,
  configuration,
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
