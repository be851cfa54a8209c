import { existsSync } from 'node:fs';
import { type Anchors, newAnchors, readAnchors } from '../../domain/history/anchor-history.ts';
import { readConfig } from '../../config/config.ts';
import { epochFileOf } from '../../app/open-context.ts';
import type { Context } from '../../domain/context.ts';
import { wordsOfFileError } from '../../domain/import/reading/readable.ts';
import { findOtherDatabase } from '../../domain/instance/other-database.ts';
import { openEpochFile } from '../../store/files/epoch-file.ts';
import { verifyHistory as prove, type HistoryVerdict } from '../../domain/history/verify-history.ts';
import { readHead } from '../../store/history/events.ts';
import { createProgressReport } from '../terminal/progress.ts';
import type { Result } from './result.ts';
import { withContext } from './with-context.ts';

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? 'it is not a text file' : `it ${wordsOfFileError(code)}`;
}

/** Adds the anchors of a file. A file that the operator names must hold at least one. */
async function readNamed(context: Context, file: string, known: Anchors): Promise<void> {
  const found = () => known.anchors.length + known.takeOvers.length + known.wrong.length;
  const before = found();
  await readAnchors(context, file, known).catch((cause: unknown) => {
    throw new Error(`--anchor ${file} cannot be read: ${reasonOf(cause)}`, { cause });
  });
  if (found() === before) throw new Error(`--anchor ${file} holds no anchor of a history`);
}

/** Another database that VAR_DIR belongs to. Its anchors say nothing of the present history. */
async function findAnchorsOwner({ store }: Context): Promise<string | undefined> {
  const config = readConfig();
  return findOtherDatabase(openEpochFile(epochFileOf(config), config.database), store);
}

interface AnchorSources {
  named: readonly string[];
  /** Whether the anchors in VAR_DIR are those of the present history. */
  isOwn: boolean;
}

async function collectAnchors(context: Context, { named, isOwn }: AnchorSources): Promise<Anchors> {
  const known = newAnchors();
  if (isOwn && existsSync(context.anchorsFile)) await readAnchors(context, context.anchorsFile, known);
  for (const file of named) await readNamed(context, file, known);
  return known;
}

/** The entries of the history: those that the chain proves, and those that wait for it. */
const allOf = ({ entries: chained, waiting }: HistoryVerdict): number => chained + waiting;

function linesOf(verdict: HistoryVerdict): string[] {
  const { entries: chained, waiting, newestAnchor, finding } = verdict;
  const entries = allOf(verdict);
  const rest =
    waiting === 0 ? [] : [`${waiting === 1 ? '1 entry waits' : `${waiting} entries wait`} to be chained.`];
  if (finding) return [finding.text, ...rest];
  const anchor = newestAnchor === undefined ? 'no anchor' : `newest anchor ${newestAnchor}`;
  return [
    `The history is whole: ${entries} ${entries === 1 ? 'entry' : 'entries'}, chained to position ${chained}, ${anchor}.`,
    ...rest,
  ];
}

/** What the verdict rests on where the anchors of VAR_DIR are those of another database. */
function leftOut(owner: string | undefined, named: readonly string[]): string[] {
  if (owner === undefined) return [];
  const basis = named.length === 0 ? 'its chain alone' : 'its chain and the anchors of --anchor alone';
  const limit =
    named.length === 0
      ? 'A history whose end was cut off looks whole'
      : 'An end that was cut off after the newest of them looks whole';
  return [
    `The anchors in VAR_DIR were left out: VAR_DIR belongs to another database, ${owner}. The history was checked against ${basis}. ${limit}.`,
  ];
}

/** Shows at a terminal how far the proof is. The history may grow meanwhile. */
async function proveAloud(context: Context, anchors: Anchors): Promise<HistoryVerdict> {
  const report = createProgressReport(false);
  const total = (await readHead(context.store.durable))?.position ?? 0;
  const tell = (done: number) =>
    report.tell({ done, total, things: done, words: `${done} of ${total} entries` });
  return prove(context, anchors, tell).finally(() => report.end());
}

/** `history verify`: checks the whole chain against this machine's anchors and the anchors of every named file. */
export async function verifyHistoryCommand(options: { anchor?: string[] }): Promise<Result> {
  return withContext(async ({ context }) => {
    const owner = await findAnchorsOwner(context);
    const named = options.anchor ?? [];
    const sources = { named, isOwn: owner === undefined };
    const verdict = await proveAloud(context, await collectAnchors(context, sources));
    const { entries: chained, waiting, anchors, newestAnchor, finding } = verdict;
    const ok = finding === undefined;
    return {
      ok,
      lines: [...linesOf(verdict), ...leftOut(owner, named)],
      json: {
        ok,
        entries: allOf(verdict),
        chained,
        waiting,
        anchors,
        newestAnchor: newestAnchor ?? null,
        anchorsLeftOut: owner !== undefined,
        varDirOwner: owner ?? null,
        ...(finding && { finding }),
      },
    };
  });
}
