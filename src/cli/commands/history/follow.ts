import { statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '../../../config/config.ts';
import {
  type ChainCursor,
  cursorAt,
  CursorRefused,
  readAfter,
  requireCursor,
} from '../../../domain/history/follow-history.ts';
import type { ChainedEntry } from '../../../domain/history/locate-tampering.ts';
import { yieldToEventLoop } from '../../../domain/work/yield-to-event-loop.ts';
import { reduceError } from '../../../shared/log/redaction.ts';
import type { Store } from '../../../store/driver/store.ts';
import { type PiecePrinter, printPieces } from '../print-pieces.ts';
import { lookInContext, openDatabaseAlone } from '../with-context.ts';
import { entryLine } from './entry-line.ts';
import { headPosition, type HistoryOptions, readHistoryOptions, selectHistory } from './selection.ts';

/** `history follow`: prints the entries of the history while they are chained. */

/** Milliseconds between two looks. A bridge chains as often. */
const TURN = 400;

/** Where the entries and the messages go, and what ends the command. */
interface FollowOutput {
  print: PiecePrinter;
  /** Takes a message for people, which is no entry. */
  say: (message: string) => void;
  signal: AbortSignal;
}

/** The number of the database's file; undefined where there is no file. Another file in its place is another database. */
function fileNumber(): number | undefined {
  const { database } = readConfig();
  return database.kind === 'sqlite' ? statSync(database.file, { throwIfNoEntry: false })?.ino : undefined;
}

const openNow = async () => ({ store: await openDatabaseAlone(), file: fileNumber() });

/**
 * A reader that outlives its database. Where the database is away a read gives no entries, a message tells each reason once,
 * and the next read opens the database anew.
 */
async function openReader({ say }: Pick<FollowOutput, 'say'>) {
  let opened: { store: Store; file: number | undefined } | undefined = await openNow();
  const told = new Set<string>();
  const close = async () => {
    const { store } = opened ?? {};
    opened = undefined;
    await store?.close().catch(() => undefined);
  };
  const open = async () => {
    if (opened && opened.file !== fileNumber()) await close();
    opened ??= await openNow();
    return opened.store.durable;
  };
  const sayTrouble = (reason: string) => {
    if (told.has(reason)) return;
    told.add(reason);
    say(`The database cannot be read: ${reason}. The command goes on when the database is back.`);
  };
  const sayBack = () => {
    if (told.size > 0) say('The database answers again. No entry was left out.');
    told.clear();
  };
  const read = async (cursor: ChainCursor): Promise<ChainedEntry[]> => {
    try {
      const page = await readAfter(await open(), cursor);
      sayBack();
      return page;
    } catch (error) {
      await close();
      if (error instanceof CursorRefused) throw error;
      sayTrouble(reduceError(error).message.replace(/\.$/, ''));
      return [];
    }
  };
  return { read, close };
}

type ChainReader = Awaited<ReturnType<typeof openReader>>;

/** Ends early when the command is stopped. */
async function rest(signal: AbortSignal): Promise<void> {
  await wait(TURN, undefined, { signal }).catch(() => undefined);
}

/** The entries after a position, page by page, then each new one. */
async function* followFrom(
  start: ChainCursor,
  reader: ChainReader,
  signal: AbortSignal,
): AsyncGenerator<ChainedEntry> {
  let cursor = start;
  try {
    while (!signal.aborted) {
      const page = await reader.read(cursor);
      for (const entry of page) {
        yield entry;
        cursor = cursorAt(entry);
      }
      // Of a long history without an entry that matches nothing is printed: signals are heard in between.
      await (page.length === 0 ? rest(signal) : yieldToEventLoop());
    }
  } finally {
    await reader.close();
  }
}

async function* linesOf(
  entries: AsyncIterable<ChainedEntry>,
  matches: (entry: ChainedEntry) => boolean,
): AsyncGenerator<string> {
  for await (const entry of entries) if (matches(entry)) yield entryLine(entry);
}

/** Prints the selected entries, then each new one, until the signal comes or nobody reads any more. */
export async function followHistory(options: HistoryOptions, output: FollowOutput): Promise<void> {
  const request = await readHistoryOptions(options);
  // Keys are needed to find a token, and for nothing else: a follower must not count as a process that holds keys.
  const { start, matches } = await lookInContext(async ({ context }) => {
    const selection = await selectHistory(context, request);
    const position = selection.after ?? (await headPosition(context));
    const cursor = await requireCursor(context.store.durable, { position, chain: undefined });
    return { start: cursor, matches: selection.matches };
  });
  const reader = await openReader(output);
  output.say(
    `Entries after position ${start.position} are printed as they are chained. To go on after a stop: --since with the position of the last whole line that arrived, or --since ${start.position} if none arrived.`,
  );
  await output.print(linesOf(followFrom(start, reader, output.signal), matches));
}

function sayToPeople(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** `history follow`, ended at once by SIGINT or SIGTERM: nothing is lost, since it goes on from any position. */
export async function followHistoryCommand(options: HistoryOptions): Promise<void> {
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(0));
  await followHistory(options, {
    print: printPieces,
    say: sayToPeople,
    signal: new AbortController().signal,
  });
}
