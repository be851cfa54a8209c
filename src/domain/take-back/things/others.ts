import { changeRetired } from '../../../store/apps/apps.ts';
import { appWithId } from '../../../store/support/support-search.ts';
import { unpinAccess } from '../../../store/apps/shared-apps.ts';
import { cutOverOf, type CutOverRow, restoreCutOver } from '../../../store/cut-over/cut-overs.ts';
import { findGrant } from '../../../store/grants/grants.ts';
import { findHandoverOf, unconfirmHandover } from '../../../store/grants/handovers.ts';
import { hasChangedApps, newestDeedOn } from '../../../store/history/deeds.ts';
import { hasHappenedSince } from '../../../store/history/entries-of-pair.ts';
import { endExtensionNamed, extensionInForce, reviveExtension } from '../../../store/lifecycle/extensions.ts';
import type { Milestone } from '../../../store/tables/lifecycle.ts';
import { changeOwner, newIdsOf, ownersOf, restoreOldId } from '../../../store/tokens/pinned-things.ts';
import { CHANGED, type PartScope, readThing, type ThingRules } from './thing.ts';

/** Everything but tokens: owners, retired apps, old ids, shared pages, the cut-over, extensions and confirmations of hand-overs. */

interface WithId {
  id: string | null;
}

const idsOf = ({ part }: Pick<PartScope, 'part'>) => ({
  was: (readThing(part.was) as WithId).id,
  left: (readThing(part.left_as) as WithId).id,
});

const ofApp: ThingRules['subject'] = ({ client_id: clientId }) => ({ clientId });

/**
 * The owner of an app. A gift clears the address under which an app waited. Only taking that gift back restores the address.
 * So gifts are taken back newest first: otherwise an app could be left with neither an owner nor an address.
 */
export const ownerRules: ThingRules = {
  async whyNot(scope) {
    const { db, part } = scope;
    const { left } = idsOf(scope);
    if ((await ownersOf(db, [part.subject])).get(part.subject) !== left)
      return 'The app has another owner since.';
    const newest = await newestDeedOn(db, 'owner', part.subject);
    if (newest && newest.entry_id > part.entry_id)
      return 'The owner of the app was changed again since. Take that change back first.';
    const changes = { clientIds: [part.subject], actor: `account:${left}`, since: part.entry_id };
    return (await hasChangedApps(db, changes)) ? 'Its new owner has changed the app since.' : undefined;
  },
  restore(scope) {
    const to = readThing(scope.part.was) as WithId & { email?: string | null };
    return changeOwner(scope.db, scope.part.subject, { from: idsOf(scope).left, to });
  },
  subject: ofApp,
};

/** The new id of an old account id. */
export const oldIdRules: ThingRules = {
  async whyNot(scope) {
    const now = (await newIdsOf(scope.db, [scope.part.subject])).get(scope.part.subject);
    return now === idsOf(scope).left ? undefined : CHANGED;
  },
  restore: (scope) => restoreOldId(scope.db, scope.part.subject, idsOf(scope)),
  subject: (part) => ({ accountId: (readThing(part.left_as) as WithId).id }),
};

/**
 * The pages of an app that is shared with the address. What the owner of the app took away since is gone already; what
 * the account proved since is its own.
 */
export const shareRules: ThingRules = {
  async whyNot(scope) {
    const { db, part } = scope;
    const proof = { clientId: part.subject, accountId: idsOf(scope).left ?? '', action: 'access_proven' };
    return (await hasHappenedSince(db, proof, part.entry_id))
      ? 'The account has shown since that the address is its own.'
      : undefined;
  },
  async restore({ db, part }) {
    const { id, email } = readThing(part.left_as) as { id: string; email: string };
    const { id: before } = readThing(part.was) as WithId;
    await unpinAccess(db, { clientId: part.subject, accountId: id, email, before });
    return true;
  },
  subject: (part) => ({ clientId: part.subject, accountId: (readThing(part.left_as) as WithId).id }),
};

/** When an app was retired; null where it lives. */
const retiredTimes = ({ part }: Pick<PartScope, 'part'>) => ({
  was: (readThing(part.was) as { at: null }).at,
  left: (readThing(part.left_as) as { at: number }).at,
});

/** An app that was retired. Nothing else was changed with it, so it lives again as everything else stands now. */
export const retiredRules: ThingRules = {
  async whyNot(scope) {
    const now = await appWithId(scope.db, scope.part.subject);
    return now?.retired_at === retiredTimes(scope).left ? undefined : CHANGED;
  },
  restore(scope) {
    const { left: from, was: to } = retiredTimes(scope);
    return changeRetired(scope.db, scope.part.subject, { from, to });
  },
  subject: ofApp,
};

const cutOversOf = ({ part }: PartScope) => ({
  was: readThing(part.was) as CutOverRow,
  left: readThing(part.left_as) as CutOverRow,
});

/** The percentage of an app's accounts that the new API answers. */
export const cutOverRules: ThingRules = {
  async whyNot(scope) {
    const { left } = cutOversOf(scope);
    const now = await cutOverOf(scope.db, scope.part.subject);
    const isLeft = now?.cut_over_percent === left.cut_over_percent && now.cut_over_at === left.cut_over_at;
    return isLeft ? undefined : 'The cut-over of the app was changed since.';
  },
  restore: (scope) => restoreCutOver(scope.db, scope.part.subject, cutOversOf(scope)),
  subject: ofApp,
};

/** The extension that the action left, and the milestone. */
type LeftExtension = WithId & { name: Milestone };

const leftExtension = ({ part }: Pick<PartScope, 'part'>) => readThing(part.left_as) as LeftExtension;

/** The extension of an app for one date. */
export const extensionRules: ThingRules = {
  async whyNot(scope) {
    const { id, name } = leftExtension(scope);
    const now = await extensionInForce(scope.db, { clientId: scope.part.client_id ?? '', name });
    return (now?.id ?? null) === id ? undefined : `The time for the ${name} was changed since.`;
  },
  async restore(scope) {
    const { db, now, by, deed } = scope;
    const [{ id: left }, { was }] = [leftExtension(scope), idsOf(scope)];
    if (left !== null && !(await endExtensionNamed(db, left, { now, by }))) return false;
    return was === null || reviveExtension(db, was, deed.done_at);
  },
  subject: ofApp,
};

/** The confirmation of a hand-over. */
export const handoverRules: ThingRules = {
  async whyNot({ db, part }) {
    const { confirmed_at: at } = readThing(part.left_as) as { confirmed_at: number };
    if ((await findHandoverOf(db, part.subject))?.confirmed_at !== at) return CHANGED;
    const grant = await findGrant(db, part.subject);
    return grant?.refresh_token_sealed ? undefined : 'The pair is erased: its seven days here are over.';
  },
  restore({ db, part }) {
    const { confirmed_at: at } = readThing(part.left_as) as { confirmed_at: number };
    return unconfirmHandover(db, part.subject, at);
  },
  subject: (part) => ({ grantId: part.subject, clientId: part.client_id }),
};
