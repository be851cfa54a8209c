import type { Vault } from '../../shared/secrets.ts';
import {
  chainedPages,
  isCopied,
  type ChainLink,
  readLink,
  unchainedPages,
} from '../../store/history/events.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Event } from '../../store/tables/tables.ts';
import { follows, isOlderThanWitnesses, isOwn } from './chain.ts';

/**
 * Finds what happened to the first entry that does not fit the chain. The evidence: whether the bridge wrote the
 * content of the entry, whether the next entry follows it, and whether another entry fits in its place.
 */

/** A chained entry, as stored in its row. */
export type ChainedEntry = Event & { position: number };

/** The first entry that does not fit, and the link up to which the history is whole. */
export interface ChainBreak {
  before: ChainLink;
  /** The id of the last entry that fits; 0 if no entry fits. */
  previousId: number;
  here: ChainedEntry;
  /** The links that the anchors name. */
  anchors: readonly ChainLink[];
}

export type TamperingKind = 'edited' | 'missing' | 'inserted' | 'swapped';

/** What happened, and to which entry. `entry` is undefined when the entry is gone. */
export interface Tampering {
  kind: TamperingKind;
  position: number;
  entry: Event | undefined;
  /** One plain sentence. */
  text: string;
}

interface TamperingInput {
  here: ChainedEntry;
  /** The entry to name and its rightful position, where they differ from the row here. */
  entry?: Event;
  position?: number;
  because: string;
}

/** The last time that a date can express, in milliseconds. */
const LAST_TIME = 8.64e15;

interface TamperingSearch {
  db: Database;
  vault: Vault;
}

type EntrySwap = (here: Event, there: Event) => [here: Event, there: Event];

const placeOf = ({ id, chain }: Event) => ({ id, chain });

/** The ways in which somebody may have exchanged two rows. Each returns the two rows as the bridge wrote them. */
const EXCHANGES: readonly EntrySwap[] = [
  (here, there) => [there, here],
  (here, there) => [
    { ...there, chain: here.chain },
    { ...here, chain: there.chain },
  ],
  (here, there) => [
    { ...there, ...placeOf(here) },
    { ...here, ...placeOf(there) },
  ],
  (here, there) => [
    { ...there, ...placeOf(here), witness: here.witness },
    { ...here, ...placeOf(there), witness: there.witness },
  ],
  (here, there) => [
    { ...there, ...placeOf(here), uid: here.uid, witness: here.witness },
    { ...here, ...placeOf(there), uid: there.uid, witness: there.witness },
  ],
  (here, there) => [
    { ...here, id: there.id },
    { ...there, id: here.id },
  ],
];

/** The entries from here on, and the entries outside the chain. */
async function* candidates({ db }: TamperingSearch, here: ChainedEntry): AsyncGenerator<Event> {
  const before = { position: here.position, id: here.id - 1 };
  for await (const page of chainedPages(db, before)) yield* page;
  for await (const page of unchainedPages(db)) yield* page;
}

interface SwapMatch {
  there: Event;
  right: [here: Event, there: Event];
}

/** Finds the entry that belongs here, at any other place. */
async function findRightful(
  ground: TamperingSearch,
  { before, here }: ChainBreak,
  among: readonly EntrySwap[],
) {
  for await (const there of candidates(ground, here)) {
    for (const exchange of among) {
      const right = exchange(here, there);
      if (follows(ground.vault, before, right[0])) return { there, right } satisfies SwapMatch;
    }
  }
  return undefined;
}

/** Whether the entry that stands here belongs in the present place of the rightful entry. */
async function isExchanged(
  { db, vault }: TamperingSearch,
  { before, here }: ChainBreak,
  { there, right }: SwapMatch,
) {
  if (isOwn(vault, here)) return true;
  if (there.position === null) return false;
  const previous = there.position - 1;
  const link =
    previous === before.position + 1
      ? { position: previous, chain: right[0].chain ?? '' }
      : await readLink(db, previous);
  return link !== undefined && follows(vault, link, right[1]);
}

/**
 * The search for a shift ends here. A longer removal is found by an anchor, or is named as another kind of tampering.
 */
const LONGEST_SHIFT = 10_000;

function linkOf({ position, chain }: ChainedEntry): ChainLink {
  return { position, chain: chain ?? '' };
}

/**
 * Whether this entry and the next were chained at later positions: entries before them were removed, and the later
 * entries were renumbered.
 */
function isShifted(
  { vault }: TamperingSearch,
  { here, anchors }: ChainBreak,
  next: ChainedEntry | undefined,
): boolean {
  const { position, chain } = linkOf(here);
  if (anchors.some((anchor) => anchor.position > position && anchor.chain === chain)) return true;
  if (!next || follows(vault, linkOf(here), next)) return false;
  // The chain values may have kept their positions while the entries moved.
  if (follows(vault, linkOf(here), { ...here, chain: next.chain })) return true;
  for (let shift = 1; shift <= LONGEST_SHIFT; shift += 1) {
    const link = { position: position + shift, chain };
    if (follows(vault, link, next) || follows(vault, link, { ...next, id: next.id + shift })) return true;
  }
  return false;
}

const NOT_OURS = 'was not written by the bridge';
const CHANGED = 'was edited: what it says is not what the bridge wrote';
const CHAIN_CHANGED = 'was edited: the bridge wrote it, but its place in the chain was changed';
const REPLACED = 'was edited: its id was changed, or it stands in the place of one that was removed';

/**
 * Judges an entry that the bridge wrote and whose chain value does not fit: the entry was changed, or the entry before
 * it is gone.
 */
function judgeOwn(
  { vault }: TamperingSearch,
  { before, here, anchors, previousId }: ChainBreak,
  next: ChainedEntry | undefined,
) {
  const anchored = anchors.find(({ position }) => position === here.position);
  const isChainRight = anchored?.chain === here.chain || (next && follows(vault, linkOf(here), next));
  if (isChainRight) return { kind: 'edited', because: REPLACED } as const;
  const isHere = anchored && follows(vault, before, { ...here, chain: anchored.chain });
  const mayFollowGap = !next && !isHere && here.id - previousId > 1;
  return mayFollowGap ? undefined : ({ kind: 'edited', because: CHAIN_CHANGED } as const);
}

const CHAIN_VALUE = /^[^.]+\.[\w-]{43}$/;

/**
 * Judges an entry whose content the bridge did not write: it was changed after chaining, or the bridge never chained
 * it.
 */
async function judgeForeign(
  { db, vault }: TamperingSearch,
  { here, anchors }: ChainBreak,
  next: ChainedEntry | undefined,
) {
  const edited = { kind: 'edited', because: CHANGED } as const;
  const inserted = { kind: 'inserted', because: NOT_OURS } as const;
  const { position, chain } = linkOf(here);
  if (next && follows(vault, linkOf(here), next)) return edited;
  if (next && isOwn(vault, next)) return inserted;
  if (anchors.some((anchor) => anchor.position === position && anchor.chain === chain)) return edited;
  const isBeyond = anchors.length > 0 && anchors.every((anchor) => anchor.position < position);
  return isBeyond || !CHAIN_VALUE.test(chain) || (await isCopied(db, here)) ? inserted : edited;
}

/** The entry after this one in the chain. */
async function nextTo(db: Database, here: ChainedEntry): Promise<ChainedEntry | undefined> {
  const { value: page } = await chainedPages(db, here).next();
  return (page ?? [])[0];
}

/** Names an entry for a person. A number that is no time is shown as a number. */
export function nameEntry({ id, at }: Event): string {
  return `id ${id}, ${timeOf(at)}`;
}

/** The ISO time; for a number that is no time, the number. */
export function timeOf(at: number): string {
  return Math.abs(at) <= LAST_TIME ? new Date(at).toISOString() : String(at);
}

function named(
  kind: TamperingKind,
  { here, entry = here, position = here.position, because }: TamperingInput,
): Tampering {
  const text = `The entry at position ${position} (${nameEntry(entry)}) ${because}.`;
  return { kind, position, entry, text };
}

function missing({ before, here, previousId }: ChainBreak, andThen: string): Tampering {
  const position = before.position + 1;
  const since = position === 1 ? 'before' : `between id ${previousId} and`;
  const text = `Position ${position} is missing: what stood there, ${since} the entry with ${nameEntry(here)}, was removed${andThen}.`;
  return { kind: 'missing', position, entry: undefined, text };
}

/** Whether the bridge cannot have chained the entry behind a gap. */
async function isForeign({ db, vault }: TamperingSearch, here: ChainedEntry): Promise<boolean> {
  const next = await nextTo(db, here);
  if (isOwn(vault, here) || (next && follows(vault, linkOf(here), next))) return false;
  return !isOlderThanWitnesses(here) || !CHAIN_VALUE.test(here.chain ?? '');
}

/** Judges a gap in the positions: the missing entry stands elsewhere or is gone. */
async function judgeGap(ground: TamperingSearch, scene: ChainBreak): Promise<Tampering> {
  const { before, here } = scene;
  const found = await findRightful(ground, scene, EXCHANGES.slice(0, 1));
  if (found) {
    const now = found.there.position ?? 'none';
    const because = `was edited: its position was changed, and is ${now} now`;
    return named('edited', { here, entry: found.there, position: before.position + 1, because });
  }
  return (await isForeign(ground, here))
    ? named('inserted', { here, because: NOT_OURS })
    : missing(scene, '');
}

/** Judges a position that is not the successor of the last position. */
async function judgePosition(ground: TamperingSearch, scene: ChainBreak): Promise<Tampering> {
  const { before, here } = scene;
  if (here.position > before.position) return judgeGap(ground, scene);
  return (await isForeign(ground, here))
    ? named('inserted', { here, because: NOT_OURS })
    : named('edited', { here, because: CHAIN_CHANGED });
}

/** Judges a place whose rightful entry stands elsewhere. */
async function judgeExchange(
  ground: TamperingSearch,
  scene: ChainBreak,
  found: SwapMatch,
): Promise<Tampering> {
  const { here } = scene;
  if (!(await isExchanged(ground, scene, found))) return named('inserted', { here, because: NOT_OURS });
  const where = found.there.position === null ? 'outside the chain' : `at position ${found.there.position}`;
  return named('swapped', { here, because: `was swapped: what belongs in its place stands ${where}` });
}

/** Says what happened to the first entry that does not fit. */
export async function locateTampering(ground: TamperingSearch, scene: ChainBreak): Promise<Tampering> {
  const { before, here } = scene;
  if (here.position !== before.position + 1) return judgePosition(ground, scene);
  const found = await findRightful(ground, scene, EXCHANGES);
  if (found) return judgeExchange(ground, scene, found);
  const next = await nextTo(ground.db, here);
  const judge = isOwn(ground.vault, here) ? judgeOwn : judgeForeign;
  const verdict = isShifted(ground, scene, next) ? undefined : await judge(ground, scene, next);
  return verdict
    ? named(verdict.kind, { here, because: verdict.because })
    : missing(scene, ' and the later ones were renumbered');
}
