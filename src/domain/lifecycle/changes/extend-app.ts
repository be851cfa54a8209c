import { endExtensionOf, extensionUntil, insertExtension } from '../../../store/lifecycle/extensions.ts';
import { newHexId } from '../../../shared/ids.ts';
import { momentText } from '../../../shared/moments.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { LifecycleDeps } from '../deps.ts';
import type { Lifecycle, Milestone } from '../lifecycle.ts';
import { readCommonDates, readLifecycle } from '../read-lifecycle.ts';
import { recordDeed } from '../../history/record-deed.ts';
import { recordEvent } from '../../history/record-event.ts';
import { checkedReason } from '../../history/reason.ts';
import {
  type ChangeOrigin,
  ChangeRefused,
  changeLifecycle,
  requireAhead,
  requireApp,
  requireIdentifiedApp,
  requireFuture,
} from './change-rules.ts';
import { whyInVain } from './extension-effect.ts';
import { sunsetBeforeRetirement } from './sunset-first.ts';

interface ExtensionChange extends ChangeOrigin {
  clientId: string;
  name: Milestone;
  reason: string;
  /**
   * The end of the extension that the answered page showed, undefined for none. A caller that saw no page omits `seen`,
   * and changes any extension.
   */
  seen?: { until: number | undefined };
}

interface ExtensionRequest extends ExtensionChange {
  until: number;
}

interface ExtensionEnd extends ExtensionChange {
  /** Whether the extension may be ended where the date of all apps is past or less than two seconds ahead. */
  isForced?: boolean;
}

/** The extension would change nothing for its app. */
export class ExtensionInVain extends ChangeRefused {}

/** The outcome of an extension. */
export interface ExtensionResult {
  /** The end of the replaced extension. */
  before: number | undefined;
  /** Whether the app has less time than the replaced extension gave. */
  isShorter: boolean;
  /** Why the extension gives the app less time than it seems to, one sentence each. */
  warnings: string[];
  /** Names what can be taken back. */
  deed: string;
}

/**
 * Why an extension gives the app less time than it seems to. A later sunset is given in full, even where the retirement
 * of the app would come after the sunset.
 */
export function warningsOfExtension(
  lifecycle: Lifecycle,
  { clientId, name }: Pick<ExtensionRequest, 'clientId' | 'name'>,
): string[] {
  if (name === 'sunset') return [];
  const sunset = sunsetBeforeRetirement(lifecycle, clientId);
  return sunset === undefined
    ? []
    : [`The sunset comes first for this app, at ${momentText(sunset)}, and ends everything with it.`];
}

/**
 * Refuses a change that was decided on a page that is out of date: the change would overwrite an extension that the
 * decider never saw.
 */
async function requireSeen(
  tx: Database,
  { clientId, name, seen }: ExtensionChange,
  now: number,
): Promise<void> {
  if (seen === undefined) return;
  const until = await extensionUntil(tx, { clientId, name });
  const ahead = until !== undefined && until > now ? until : undefined;
  if (ahead !== seen.until) throw new ChangeRefused(`The time for the ${name} was changed meanwhile.`);
}

/**
 * Refuses an extension until the same time again: the history would record a change although nothing changed. A caller
 * whose page showed this end, or that saw no page, gets `ExtensionInVain`.
 */
async function requireOther(tx: Database, { clientId, name, until, seen }: ExtensionRequest): Promise<void> {
  if ((await extensionUntil(tx, { clientId, name })) !== until) return;
  const words = `The app has more time for the ${name} until ${momentText(until)} already.`;
  throw seen === undefined || seen.until === until ? new ExtensionInVain(words) : new ChangeRefused(words);
}

/**
 * Refuses an extension that gives no more time: the history and the pages would promise time that the app does not
 * have.
 */
function requireEffect(
  context: LifecycleDeps,
  lifecycle: Lifecycle,
  { asked, now }: { asked: ExtensionRequest; now: number },
) {
  const why = whyInVain(lifecycle, asked, { now, hasOldApi: context.oldBackend !== undefined });
  if (why !== undefined) throw new ExtensionInVain(why);
}

/** The extension that was in force before a change, and the one that it left. */
function partOf(
  { clientId, name }: Pick<ExtensionChange, 'clientId' | 'name'>,
  { entry, was, left }: { entry: string; was: string | null; left: string | null },
) {
  const subject = `${clientId} ${name}`;
  return {
    entry,
    thing: 'extension' as const,
    subject,
    clientId,
    was: { id: was },
    left: { id: left, name },
  };
}

/**
 * Gives an app more time until a milestone. Replaces the extension that the app has for the same milestone.
 * @throws {ExtensionInVain} the extension would change nothing for the app
 * @throws {ChangeRefused}
 */
export async function extendApp(context: LifecycleDeps, asked: ExtensionRequest): Promise<ExtensionResult> {
  const { clientId, name, until, actor, requestId = null } = asked;
  const reason = checkedReason(asked.reason);
  return changeLifecycle(context, async (tx, now) => {
    await requireIdentifiedApp(tx, clientId);
    requireFuture(until, now);
    await requireOther(tx, asked);
    await requireSeen(tx, asked, now);
    requireEffect(context, await readLifecycle(tx, now), { asked, now });
    const ended = await endExtensionOf(tx, { clientId, name, now, by: actor });
    const before = ended?.until;
    const [id, granted] = [newHexId(), { granted_by: actor, granted_at: now }];
    await insertExtension(tx, { id, client_id: clientId, name, until, reason, ...granted });
    const was = before === undefined ? '' : `, was ${momentText(before)}`;
    const words = `${name}: until ${momentText(until)}${was}; ${reason}`;
    const change = { at: now, actor, action: 'app_extended', reason: words, clientId, requestId };
    const entry = await recordEvent(context, tx, change);
    const part = partOf(asked, { entry, was: ended?.id ?? null, left: id });
    const deed = await recordDeed(tx, { kind: 'extend', at: now, actor, parts: [part] });
    const isShorter = until < (before ?? 0);
    return { before, isShorter, warnings: warningsOfExtension(await readLifecycle(tx, now), asked), deed };
  });
}

/** An extension whose time is over ends nothing any more. */
async function checkEnd(
  tx: Database,
  { name, isForced, until }: Pick<ExtensionEnd, 'name' | 'isForced'> & { until: number },
  now: number,
): Promise<void> {
  const at = (await readCommonDates(tx))[name];
  if (isForced || at === undefined || until <= now) return;
  requireAhead({ name, at, whose: ' of this app' }, now);
}

/**
 * Ends the extension of an app, so the date of all apps applies again. Answers the end of the extension.
 * @throws {ChangeRefused}
 */
export async function endExtension(context: LifecycleDeps, asked: ExtensionEnd): Promise<{ before: number }> {
  const { clientId, name, actor, requestId = null } = asked;
  const reason = checkedReason(asked.reason);
  return changeLifecycle(context, async (tx, now) => {
    await requireApp(tx, clientId);
    await requireSeen(tx, asked, now);
    const ended = await endExtensionOf(tx, { clientId, name, now, by: actor });
    if (!ended) throw new ChangeRefused(`The app has no more time for the ${name} than all have.`);
    const before = ended.until;
    await checkEnd(tx, { ...asked, until: before }, now);
    const words = `${name}: the extension until ${momentText(before)} is ended; ${reason}`;
    const change = { at: now, actor, action: 'extension_ended', reason: words, clientId, requestId };
    const entry = await recordEvent(context, tx, change);
    const part = partOf(asked, { entry, was: ended.id, left: null });
    await recordDeed(tx, { kind: 'unextend', at: now, actor, parts: [part] });
    return { before };
  });
}
