import { hostname } from 'node:os';
import { DAY, MINUTE } from '../../shared/lifetimes.ts';
import { type ChainLink, linksAt } from '../../store/history/events.ts';
import { rewriteLines } from '../../store/files/anchors.ts';
import { withLease } from '../work/lease.ts';
import { type AnchorOwner, findForeign, isGenuineMark } from './anchor-history.ts';
import { parseLine } from './anchor-lines.ts';
import type { HistoryDeps } from './deps.ts';

/**
 * Keeps this machine's file of anchors short: a busy bridge writes thousands a day. An anchor stands for all entries
 * before it, so one that agrees with the database is worth nothing beside a later one that agrees too. What differs from
 * the database is evidence, and stays with every line that is no anchor.
 */

const KEPT_WHOLE = DAY;
const KEPT_BY_HOUR = 30 * DAY;

const LINES_AT_ONCE = 1000;

/** A process that died keeps others from thinning for this long. */
const LEASE_LIMIT = 5 * MINUTE;

interface OldAnchor extends ChainLink {
  line: string;
  /** Of the anchors of one slot the last one stays. */
  slot: string;
}

class AnchorSieve {
  readonly #context: HistoryDeps;
  readonly #now: number;
  readonly #kept: string[] = [];
  #held: OldAnchor | undefined;
  #dropped = 0;

  constructor(context: HistoryDeps) {
    this.#context = context;
    this.#now = context.clock.now();
  }

  /** The day of an old anchor, and its hour where it is younger than a month; undefined for any other line. */
  #oldIn(line: string): OldAnchor | undefined {
    const mark = parseLine(line);
    if (mark === undefined || !('position' in mark)) return undefined;
    const { position, chain, at } = mark;
    const age = this.#now - Date.parse(at);
    const isOld = age > KEPT_WHOLE && isGenuineMark(this.#context.vault, mark);
    const slot = at.slice(0, age > KEPT_BY_HOUR ? 'YYYY-MM-DD'.length : 'YYYY-MM-DDTHH'.length);
    return isOld ? { line, slot, position, chain } : undefined;
  }

  #hold(one: OldAnchor): void {
    const held = this.#held;
    if (held === undefined || held.slot !== one.slot) this.#release();
    else this.#dropped += 1;
    if (this.#held === undefined || one.position >= this.#held.position) this.#held = one;
  }

  #release(): void {
    if (this.#held) this.#kept.push(this.#held.line);
    this.#held = undefined;
  }

  /** The lines stay in their order: the last one says up to where the history is anchored. */
  #keep(line: string): void {
    this.#release();
    this.#kept.push(line);
  }

  async take(lines: readonly string[]): Promise<void> {
    const each = lines.map((line) => ({ line, old: this.#oldIn(line) }));
    const positions = each.flatMap(({ old }) => old?.position ?? []);
    const links = await linksAt(this.#context.store.durable, positions);
    for (const { line, old } of each) {
      if (old && links.get(old.position)?.chain === old.chain) this.#hold(old);
      else this.#keep(line);
    }
  }

  /** What stays; undefined where everything does. */
  end(): readonly string[] | undefined {
    this.#release();
    return this.#dropped === 0 ? undefined : this.#kept;
  }
}

async function chosenOf(
  context: HistoryDeps,
  lines: AsyncIterable<string>,
): Promise<readonly string[] | undefined> {
  const sieve = new AnchorSieve(context);
  let some: string[] = [];
  for await (const line of lines) {
    if (context.shutdown.signal.aborted) return undefined;
    some.push(line);
    if (some.length < LINES_AT_ONCE) continue;
    await sieve.take(some);
    some = [];
  }
  await sieve.take(some);
  return sieve.end();
}

/**
 * Thins the anchors in VAR_DIR: those of the last day stay, then one an hour for a month, and one a day before. Does
 * nothing in a copy, nor where VAR_DIR belongs to another database.
 */
export async function thinAnchors(context: HistoryDeps & { instance: AnchorOwner }): Promise<void> {
  if (findForeign(context.instance) !== undefined) return;
  // Each machine has a file of its own.
  await withLease(context, { name: `thin anchors ${hostname()}`, limit: LEASE_LIMIT }, () =>
    rewriteLines(context.anchorsFile, (lines) => chosenOf(context, lines)),
  );
}
