import { TAKE_BACK } from '../../shared/lifetimes.ts';
import type { Database } from '../../store/driver/store.ts';
import { claimDeed, deedsOfEntries, type DeedRow, listParts, readDeed } from '../../store/history/deeds.ts';
import type { DeedThing } from '../../store/tables/deeds.ts';
import { mayAct, type StaffRole } from '../accounts/staff.ts';
import { checkedReason } from '../history/reason.ts';
import { TakeBackRefused } from '../history/record-deed.ts';
import { recordEvents } from '../history/record-event.ts';
import type { Origin } from '../origin.ts';
import type { TakeBackDeps } from './deps.ts';
import { KINDS, THINGS } from './kinds.ts';
import { whyNotDeed, whyNotParts } from './look.ts';
import { CHANGED } from './things/thing.ts';

/**
 * Takes an action back (docs/decisions/0036): in one transaction the deed is claimed by one conditional statement, each of
 * its things is put back by one conditional statement on how the deed left it, and the history names the entry that is
 * taken back. Where anything came in between, nothing is changed.
 */

interface TakeBackRequest extends Origin {
  reason: string;
}

/** What was taken back. */
export interface TakenBack {
  kind: DeedRow['kind'];
  /** How many things stand as before. */
  parts: number;
}

interface TakeBackStep {
  asked: TakeBackRequest;
  /** The time for it. */
  within: number;
}

/** Readers of the history follow tokens and dates by the name of the action. */
const ACTIONS: Readonly<Partial<Record<DeedThing, string>>> = {
  token: 'token_taken_back',
  extension: 'extension_taken_back',
};

async function restoreAll(
  context: TakeBackDeps,
  tx: Database,
  { deed, asked }: { deed: DeedRow; asked: TakeBackRequest },
): Promise<number> {
  const [now, parts] = [context.clock.now(), await listParts(tx, deed.id)];
  const scope = { db: tx, now, by: asked.actor };
  const why = await whyNotParts(scope, deed, parts);
  if (why !== undefined) throw new TakeBackRefused(why);
  for (const part of parts)
    if (!(await THINGS[part.thing].restore({ ...scope, deed, part }))) throw new TakeBackRefused(CHANGED);
  const { actor, requestId, reason } = asked;
  const changes = parts.map((part) => ({
    at: now,
    actor,
    requestId,
    ...THINGS[part.thing].subject(part),
    action: ACTIONS[part.thing] ?? 'taken_back',
    reason: `entry ${part.entry_id}: ${reason}`,
  }));
  await recordEvents(context, tx, changes);
  return parts.length;
}

async function takeBackIn(
  context: TakeBackDeps,
  tx: Database,
  { id, asked, within }: TakeBackStep & { id: string },
): Promise<TakenBack> {
  const now = context.clock.now();
  const isClaimed = await claimDeed(tx, id, { now, by: asked.actor, doneAfter: now - within });
  const deed = await readDeed(tx, id);
  if (!deed) throw new TakeBackRefused('It is too long ago.');
  if (!isClaimed) throw new TakeBackRefused(whyNotDeed(deed, now, within) ?? CHANGED);
  return { kind: deed.kind, parts: await restoreAll(context, tx, { deed, asked }) };
}

/**
 * Takes a deed back by its id. The caller has checked who may.
 * @throws {TakeBackRefused}
 * @throws {ReasonRefused}
 */
export async function takeDeedBack(
  context: TakeBackDeps,
  id: string,
  { within = TAKE_BACK, ...request }: TakeBackRequest & { within?: number },
): Promise<TakenBack> {
  const asked = { ...request, reason: checkedReason(request.reason) };
  const taken = await context.store.transaction((tx) => takeBackIn(context, tx, { id, asked, within }));
  // The change is stored even when this reading fails. The regular reading follows within a second.
  if (taken.kind === 'extend' || taken.kind === 'unextend')
    await context.lifecycle.refresh().catch(() => undefined);
  return taken;
}

/** Why an entry of something else cannot be taken back. */
export const NO_DEED =
  'There is nothing to take back. Only what staff did with a token, an app or its time, and the confirmation of a hand-over, can be taken back. What holders, apps and the bridge itself have ended stays ended.';

/** The deed of an entry. An address may name any number, or none. */
async function deedOf({ store }: TakeBackDeps, entryId: number) {
  const [deed] = Number.isSafeInteger(entryId) ? await deedsOfEntries(store.durable, [entryId]) : [];
  return deed;
}

/**
 * Takes back what an entry of the history tells. The role that may do the action may take it back.
 * @throws {TakeBackRefused}
 * @throws {ReasonRefused}
 */
export async function takeEntryBack(
  context: TakeBackDeps,
  { entryId, role, ...asked }: TakeBackRequest & { entryId: number; role: StaffRole },
): Promise<TakenBack> {
  const deed = await deedOf(context, entryId);
  if (!deed) throw new TakeBackRefused(NO_DEED);
  const { needs } = KINDS[deed.kind];
  if (!mayAct(role, needs)) throw new TakeBackRefused(`To take this back takes the role “${needs}”.`);
  return takeDeedBack(context, deed.id, asked);
}

/**
 * Takes back the confirmation of a hand-over, for the owner of its app. The caller has checked who owns the app.
 * @throws {TakeBackRefused}
 */
export async function takeConfirmationBack(
  context: TakeBackDeps,
  { entryId, clientId, ...origin }: Origin & { entryId: number; clientId: string },
): Promise<TakenBack> {
  const deed = await deedOf(context, entryId);
  if (deed?.kind !== 'confirm' || deed.client_id !== clientId) throw new TakeBackRefused(NO_DEED);
  return takeDeedBack(context, deed.id, { ...origin, reason: 'the owner of the app asked for it' });
}
