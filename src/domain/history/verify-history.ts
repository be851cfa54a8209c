import { CLOCKS_DIFFER } from '../../shared/lifetimes.ts';
import { chainedPages, type ChainLink, listEventsOf, unchainedPages } from '../../store/history/events.ts';
import type { Event } from '../../store/tables/tables.ts';
import type { Anchors } from './anchor-history.ts';
import { CHAIN_START, follows, isOlderThanWitnesses, isOwn } from './chain.ts';
import type { HistoryDeps } from './deps.ts';
import {
  type ChainedEntry,
  type TamperingKind,
  nameEntry,
  locateTampering,
  type Tampering,
  timeOf,
} from './locate-tampering.ts';
import { groupBy } from '../../shared/group-by.ts';

/**
 * The proof of the history (docs/decisions/0011). Every entry is computed again, and the first wrong entry is named.
 */

type ProofContext = Pick<HistoryDeps, 'store' | 'vault'>;

export interface HistoryFinding {
  kind: TamperingKind | 'cut' | 'regrown' | 'anchor';
  /** The position in the chain (after a cut: of the last entry left); null for a finding outside the chain. */
  position: number | null;
  /** The id of the entry's row (after a cut: of the last entry left); null when the entry is gone. */
  id: number | null;
  /** The ISO time of the entry, or of the anchor that shows that the entry is gone. */
  at: string | null;
  text: string;
}

export interface HistoryVerdict {
  /** How many entries are proven by the chain. */
  entries: number;
  /** How many entries of the bridge wait to be chained. */
  waiting: number;
  /** How many anchors hold. */
  anchors: number;
  newestAnchor: string | undefined;
  finding: HistoryFinding | undefined;
}

type HeldAnchor = Anchors['anchors'][number];

/** Take-overs that no anchor file mentions. After such a take-over the history may contradict every older anchor. */
async function takeOversIn({ store, vault }: ProofContext, told: Anchors['takeOvers']) {
  const entries = await listEventsOf(store.durable, 'taken_over');
  const genuine = entries.filter((entry) => isOwn(vault, entry));
  const untold = genuine.filter((entry) =>
    told.every((mark) => Date.parse(mark.at) + CLOCKS_DIFFER < entry.at),
  );
  return untold.map((entry) => ({ position: 0, at: timeOf(entry.at) }));
}

/** The anchors that hold, in the order of their positions. */
async function anchorsThatHold(
  context: ProofContext,
  { anchors, takeOvers }: Anchors,
): Promise<HeldAnchor[]> {
  const marks = [...takeOvers, ...(await takeOversIn(context, takeOvers))];
  const held = anchors.filter(({ at, position }) =>
    marks.every((mark) => at >= mark.at || position <= mark.position),
  );
  return held.toSorted((a, b) => a.position - b.position);
}

interface ChainWalk {
  entries: number;
  last: Event | undefined;
  finding: HistoryFinding | undefined;
}

function findingOf({ kind, position, entry, text }: Tampering): HistoryFinding {
  return { kind, position, id: entry?.id ?? null, at: entry ? timeOf(entry.at) : null, text };
}

function regrown(event: Event, { at }: HeldAnchor): HistoryFinding {
  const { id, position } = event;
  const text =
    `The entry at position ${position} (${nameEntry(event)}) is not the one that was there at ${at}: ` +
    'up to there entries were removed, and others chained anew in their place.';
  return { kind: 'regrown', position, id, at: timeOf(event.at), text };
}

function cut(last: Event | undefined, { position, at }: HeldAnchor): HistoryFinding {
  const end = last
    ? `ends with the entry at position ${last.position} (${nameEntry(last)})`
    : 'holds no entry that is chained';
  const text = `The history ${end}, but at ${at} it reached position ${position}: its end was cut off.`;
  return { kind: 'cut', position: last?.position ?? 0, id: last?.id ?? null, at, text };
}

/** Checks an entry against the last right link before it. Returns the finding, or undefined for a right entry. */
function examinerOf({ store, vault }: ProofContext, anchors: readonly HeldAnchor[]) {
  const anchored = groupBy(anchors, ({ position }) => position);
  const ground = { db: store.durable, vault };
  return async (
    here: ChainedEntry,
    before: ChainLink,
    last: Event | undefined,
  ): Promise<HistoryFinding | undefined> => {
    if (here.position === before.position + 1 && follows(vault, before, here)) {
      const denied = anchored.get(here.position)?.find(({ chain }) => chain !== here.chain);
      return denied && regrown(here, denied);
    }
    return findingOf(await locateTampering(ground, { before, previousId: last?.id ?? 0, here, anchors }));
  };
}

/** Walks along the chain up to the first wrong entry. */
async function walk(
  context: ProofContext,
  anchors: readonly HeldAnchor[],
  tell: (done: number) => void,
): Promise<ChainWalk> {
  const examine = examinerOf(context, anchors);
  let before: ChainLink = CHAIN_START;
  let last: Event | undefined;
  for await (const page of chainedPages(context.store.durable)) {
    for (const here of page) {
      const finding = await examine(here, before, last);
      if (finding) return { entries: before.position, last, finding };
      before = { position: here.position, chain: here.chain ?? '' };
      last = here;
    }
    tell(before.position);
  }
  const newest = anchors.at(-1);
  const isCut = newest !== undefined && newest.position > before.position;
  return { entries: before.position, last, finding: isCut ? cut(last, newest) : undefined };
}

function outside(entry: Event): HistoryFinding {
  const text = `The entry outside the chain (${nameEntry(entry)}) was not written by the bridge.`;
  return { kind: 'inserted', position: null, id: entry.id, at: timeOf(entry.at), text };
}

/**
 * Checks the entries outside the chain. Entries of the bridge wait there for a moment, or for the next start of a
 * bridge.
 */
async function lookOutside({ store, vault }: ProofContext, mayAdopt: boolean) {
  let waiting = 0;
  for await (const page of unchainedPages(store.durable)) {
    const foreign = page.find((event) => !isOwn(vault, event) && !(mayAdopt && isOlderThanWitnesses(event)));
    if (foreign) return { waiting, finding: outside(foreign) };
    waiting += page.length;
  }
  return { waiting, finding: undefined };
}

function spoiled([first]: Anchors['wrong']): HistoryFinding | undefined {
  if (!first) return undefined;
  const { file, line, keyId } = first;
  const text =
    keyId === undefined
      ? `Line ${line} of ${file} is no anchor of this bridge: it was edited, or it is of other keys.`
      : `Line ${line} of ${file} bears the history key ${keyId}, which KEYS_FILE lacks. After a restore from before a key rotation, a key file with the keys of both times proves the line. Else the line was edited or is of another bridge: move the file away.`;
  return { kind: 'anchor', position: null, id: null, at: null, text };
}

/** Proves the history by its chain and the anchors. `tell` hears how many entries of the chain are proven already. */
export async function verifyHistory(
  context: ProofContext,
  anchors: Anchors,
  tell: (done: number) => void = () => undefined,
): Promise<HistoryVerdict> {
  const held = await anchorsThatHold(context, anchors);
  const { entries, last, finding } = await walk(context, held, tell);
  const beside = await lookOutside(context, last === undefined && held.length === 0 && finding === undefined);
  return {
    entries,
    waiting: beside.waiting,
    anchors: held.length,
    newestAnchor: held.at(-1)?.at,
    finding: finding ?? beside.finding ?? spoiled(anchors.wrong),
  };
}
