import { keyIdOf, type Vault } from '../../shared/secrets.ts';
import { appendLine, readLastLine, readLines } from '../../store/files/anchors.ts';
import { type ChainLink, readHead, readLink } from '../../store/history/events.ts';
import { type Anchor, type Anchors, type AnchorLine, parseLine, type TakeOver } from './anchor-lines.ts';
import { CHAIN_START } from './chain.ts';
import type { HistoryDeps } from './deps.ts';

/**
 * Anchors keep the state of the chain outside the database: in a file on each machine and in the log stream of the
 * machine. The chain alone does not show that its end was cut off. An anchor shows this.
 */

export type { Anchors } from './anchor-lines.ts';

type AnchorContext = Pick<HistoryDeps, 'store' | 'vault' | 'clock' | 'logger' | 'anchorsFile'>;

/**
 * Splits a value into groups, because the log removes text that looks like a credential (redaction.ts). An anchor is
 * not a credential.
 */
function grouped(value: string): string {
  const keyId = keyIdOf(value);
  const groups = value.slice(keyId.length + 1).match(/.{1,16}/g) ?? [];
  return [keyId, ...groups].join('.');
}

function witnessOf(vault: Vault, content: readonly unknown[]): string {
  return vault.witness(JSON.stringify(content));
}

/** Whether the bridge wrote the line. */
export function isGenuineMark(vault: Vault, mark: AnchorLine): boolean {
  const content =
    'takenOverAt' in mark
      ? ['take-over', mark.takenOverAt, mark.at]
      : ['anchor', mark.position, mark.chain, mark.at];
  return vault.isWitness(JSON.stringify(content), mark.witness);
}

/** The id of a key that the key file lacks. Anybody may have written the line, so other texts are not repeated. */
function missingKeyOf(vault: Vault, { witness }: AnchorLine): string | undefined {
  const id = keyIdOf(witness);
  return vault.holdsKeyOfWitness(witness) || !/^[a-z0-9]{1,16}$/.test(id) ? undefined : id;
}

/** The position that a genuine line of this machine's file names; 0 for any other line. */
function positionOf(vault: Vault, line = ''): number {
  const mark = parseLine(line);
  if (mark === undefined || 'wrong' in mark || !isGenuineMark(vault, mark)) return 0;
  return 'takenOverAt' in mark ? mark.takenOverAt : mark.position;
}

/** Anchors the newest chained entry, unless this machine's file has an anchor for it. */
export async function anchorHistory(context: AnchorContext): Promise<void> {
  const { store, vault, anchorsFile } = context;
  const head = await readHead(store.durable);
  if (!head || head.position <= positionOf(vault, await readLastLine(anchorsFile))) return;
  const { position, chain } = head;
  const at = new Date(context.clock.now()).toISOString();
  const anchor: Anchor = { position, chain, at, witness: witnessOf(vault, ['anchor', position, chain, at]) };
  await appendLine(anchorsFile, JSON.stringify(anchor));
  const [shown, witness] = [grouped(chain), grouped(anchor.witness)];
  context.logger.info('history anchor', { position, head: shown, at, witness });
}

/** What anchoring asks of the instance watch, whose room comes after this one. */
export interface AnchorOwner {
  isCopy(): boolean;
  ownsFolder(): boolean;
}

/** The anchors of a machine are those of one history. A copy's own entries would speak against the original there. */
export function findForeign(instance: AnchorOwner): string | undefined {
  if (instance.isCopy())
    return 'this database is a copy, and the anchors in VAR_DIR are those of its original';
  return instance.ownsFolder() ? undefined : 'VAR_DIR belongs to another database, and so do its anchors';
}

/** Returns a function that anchors the history where VAR_DIR is its own, and that says once why it does not. */
export function anchorOwn(context: AnchorContext & { instance: AnchorOwner }): () => Promise<void> {
  let told: string | undefined;
  return async () => {
    const why = findForeign(context.instance);
    if (why === undefined) await anchorHistory(context);
    else if (why !== told) context.logger.warn('this history gets no anchor', { why });
    told = why;
  };
}

/** The position of the newest anchor that agrees with the database. There the copy and its original parted. */
async function lastAgreed({ store }: AnchorContext, anchors: readonly ChainLink[]): Promise<number> {
  const ordered = anchors.toSorted((a, b) => a.position - b.position);
  let [agreed, differs] = [-1, ordered.length];
  while (differs - agreed > 1) {
    const middle = Math.floor((agreed + differs) / 2);
    const anchor = ordered[middle] ?? CHAIN_START;
    const link = await readLink(store.durable, anchor.position);
    if (link?.chain === anchor.chain) agreed = middle;
    else differs = middle;
  }
  return ordered[agreed]?.position ?? 0;
}

/**
 * Records a take-over in this machine's file. From here on the history of the copy may differ from the original's. So
 * older anchors hold only up to the position where both agree.
 */
export async function markTakeOver(context: AnchorContext): Promise<void> {
  const { vault, anchorsFile } = context;
  const known = newAnchors();
  if ((await readLastLine(anchorsFile)) !== undefined) await readAnchors(context, anchorsFile, known);
  const takenOverAt = await lastAgreed(context, known.anchors);
  const at = new Date(context.clock.now()).toISOString();
  const mark: TakeOver = { takenOverAt, at, witness: witnessOf(vault, ['take-over', takenOverAt, at]) };
  await appendLine(anchorsFile, JSON.stringify(mark));
  // A command writes no line below `warn`, and this is the one line that tells of a take-over.
  context.logger.warn('history taken over', { takenOverAt, at, witness: grouped(mark.witness) });
}

/** An empty set of anchors. */
export function newAnchors(): Anchors {
  return { anchors: [], takeOvers: [], wrong: [] };
}

/**
 * Adds the anchors of a file to the known anchors. The file is a machine's anchor file or a captured log stream.
 * @throws {Error} with the code of the file system when the file cannot be read
 */
export async function readAnchors(
  { vault }: Pick<HistoryDeps, 'vault'>,
  file: string,
  known: Anchors,
): Promise<void> {
  let number = 0;
  for await (const line of readLines(file)) {
    number += 1;
    const mark = parseLine(line);
    if (mark === undefined) continue;
    if ('wrong' in mark) known.wrong.push({ file, line: number });
    else if (!isGenuineMark(vault, mark))
      known.wrong.push({ file, line: number, keyId: missingKeyOf(vault, mark) });
    else if ('takenOverAt' in mark) known.takeOvers.push({ position: mark.takenOverAt, at: mark.at });
    else known.anchors.push({ position: mark.position, chain: mark.chain, at: mark.at });
  }
}
