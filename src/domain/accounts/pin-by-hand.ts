import { normalEmail } from '../../shared/mail/address.ts';
import type { Database } from '../../store/driver/store.ts';
import { sharesWith } from '../../store/apps/shared-apps.ts';
import {
  entriesOfPin,
  entriesOfShares,
  newIdsOf,
  ownersOf,
  type PinnableThings,
  thingsUnder,
} from '../../store/tokens/pinned-things.ts';
import { readTokenPlaces } from '../../store/tokens/token-places.ts';
import { type DeedPart, recordDeed } from '../history/record-deed.ts';
import { tokenWas } from '../tokens/token-deed.ts';
import type { AccountsDeps } from './deps.ts';
import { type PinCounts, type PinRequest, pinAccountIn } from './pin-account.ts';

/** A pin by the word of staff: what it changes is kept, so that it can be taken back. */

/** What was pinned. `deed` names what can be taken back, if anything. */
interface PinResult extends PinCounts {
  deed: string | undefined;
  /** Whether tokens ended as moved, because their app has taken over the connection of the account. */
  hasMoved: boolean;
}

/** More tokens than can be taken back: their exact number does not matter. */
const TOKENS_READ = 1001;

interface PinnableState {
  places: Awaited<ReturnType<typeof readTokenPlaces>>;
  owners: Map<string, string | null>;
  newIds: Map<string, string | null>;
}

/** How the things stand. */
async function pinnableStateOf(
  tx: Database,
  { tokens, apps, oldIds }: PinnableThings,
): Promise<PinnableState> {
  return {
    places: await readTokenPlaces(tx, tokens),
    owners: await ownersOf(tx, apps),
    newIds: await newIdsOf(tx, oldIds),
  };
}

type PartWithoutEntry = Omit<DeedPart, 'entry'>;

/** The tokens that have another account than before. */
async function tokenParts(
  tx: Database,
  before: PinnableState,
  after: PinnableState,
): Promise<PartWithoutEntry[]> {
  const parts: PartWithoutEntry[] = [];
  for (const [subject, place] of before.places) {
    const left = after.places.get(subject);
    if (!left || left.account_id === place.account_id) continue;
    const was = await tokenWas(tx, place);
    parts.push({ thing: 'token', subject, clientId: left.client_id, was, left });
  }
  return parts;
}

const hasMovedBetween = (before: PinnableState, after: PinnableState): boolean =>
  [...after.places].some(
    ([id, { state }]) => state === 'migrated' && before.places.get(id)?.state !== 'migrated',
  );

interface PinnedShares {
  before: Map<string, string | null>;
  after: Map<string, string | null>;
  email: string;
}

/** The apps whose pages the account has by the pin, with the entry of each. */
async function shareParts(
  tx: Database,
  accountId: string,
  { before, after, email }: PinnedShares,
): Promise<DeedPart[]> {
  const shares = changed(before, after);
  const entries = await entriesOfShares(
    tx,
    accountId,
    shares.map(([clientId]) => clientId),
  );
  return shares.map(([subject, id]) => ({
    entry: entries.get(subject) ?? '',
    thing: 'share',
    subject,
    clientId: subject,
    was: { id, email },
    left: { id: accountId, email },
  }));
}

const changed = (was: Map<string, string | null>, left: Map<string, string | null>) =>
  [...was].filter(([id, value]) => left.get(id) !== value);

function otherParts(before: PinnableState, after: PinnableState): PartWithoutEntry[] {
  const owners = changed(before.owners, after.owners).map(([subject, was]): PartWithoutEntry => {
    const left = after.owners.get(subject) ?? null;
    return { thing: 'owner', subject, clientId: subject, was: { id: was }, left: { id: left } };
  });
  const ids = changed(before.newIds, after.newIds).map(([subject, was]): PartWithoutEntry => {
    return { thing: 'old_id', subject, was: { id: was }, left: { id: after.newIds.get(subject) ?? null } };
  });
  return [...owners, ...ids];
}

/** The parts, each with the entry of the history that tells of it. */
async function withEntries(
  tx: Database,
  accountId: string,
  { things, parts }: { things: PinnableThings; parts: readonly PartWithoutEntry[] },
): Promise<DeedPart[]> {
  const entries = await entriesOfPin(tx, accountId, things);
  return parts.map((part) => {
    const entry = part.thing === 'old_id' ? entries.ofOldId : entries.ofThings.get(part.subject);
    if (!entry) throw new Error(`a pin without an entry for the ${part.thing} ${part.subject}`);
    return { ...part, entry };
  });
}

/**
 * Pins everything that waits under an address by the word of staff, in the caller's transaction, and keeps what it
 * changed.
 */
export async function pinByHandIn(
  context: AccountsDeps,
  tx: Database,
  asked: PinRequest,
): Promise<PinResult> {
  const email = normalEmail(asked.email);
  const things = await thingsUnder(tx, email, TOKENS_READ);
  const before = await pinnableStateOf(tx, things);
  const sharesBefore = await sharesWith(tx, email);
  const counts = await pinAccountIn(context, tx, asked);
  const after = await pinnableStateOf(tx, things);
  const shares = { before: sharesBefore, after: await sharesWith(tx, email), email };
  const parts = [...(await tokenParts(tx, before, after)), ...otherParts(before, after)];
  const named = [
    ...(await withEntries(tx, asked.accountId, { things, parts })),
    ...(await shareParts(tx, asked.accountId, shares)),
  ];
  const hasMoved = hasMovedBetween(before, after);
  if (named.length === 0) return { ...counts, hasMoved, deed: undefined };
  const deed = await recordDeed(tx, {
    kind: 'pin',
    at: context.clock.now(),
    actor: asked.actor,
    parts: named,
  });
  return { ...counts, hasMoved, deed };
}

/** Pins by the word of staff in a transaction of its own. */
export function pinByHand(context: AccountsDeps, asked: PinRequest): Promise<PinResult> {
  return context.store.transaction((tx) => pinByHandIn(context, tx, asked));
}
