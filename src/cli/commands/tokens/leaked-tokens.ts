import { StringDecoder } from 'node:string_decoder';
import { openInput, textBytes } from '../../../domain/import/reading/readable.ts';
import { namingFile } from '../../../domain/import/refusals.ts';
import { reportLeaks } from '../../../domain/leaks/report-leaks.ts';
import { HOUR } from '../../../shared/lifetimes.ts';
import { readLeaks } from '../../../store/leaks/leaked-tokens.ts';
import type { Context } from '../../../domain/context.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

/** `tokens leaked`: takes a list of tokens that were found where others can read them. No token is printed. */

/** No token is longer. */
const LINE_MAX = 4096;

const LINES_AT_ONCE = 500;

async function openList(file: string): Promise<AsyncIterable<Buffer>> {
  if (file !== '-') return (await openInput(file)).createReadStream();
  if (process.stdin.isTTY) process.stderr.write('Type one token a line, then Enter and Ctrl-D: ');
  return process.stdin;
}

/** The lines of the list. A line without an end is cut, so that no file can fill the memory. */
async function* linesOfList(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of textBytes(bytes)) {
    const lines = (rest + decoder.write(piece)).split(/\r\n|\r|\n/);
    rest = (lines.pop() ?? '').slice(0, LINE_MAX + 1);
    yield* lines;
  }
  yield rest + decoder.end();
}

/**
 * A list that cannot be read would say of each token that nobody knows it.
 * @throws {ImportRefused} in plain words, before the first line
 */
async function* linesIn(file: string): AsyncGenerator<string> {
  const bytes = await openList(file);
  try {
    yield* linesOfList(bytes);
  } catch (error) {
    throw namingFile(error, file === '-' ? 'standard input' : file);
  }
}

/** The lines in parts, without blanks around them and without empty lines. */
async function* inParts(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let part: string[] = [];
  for await (const line of lines) {
    const text = line.replace(/^\uFEFF/, '').trim();
    if (text === '') continue;
    part.push(text);
    if (part.length < LINES_AT_ONCE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

interface LeakCounts {
  read: number;
  known: Map<string, boolean>;
  unknown: number;
  tooLong: number;
}

/** Takes the list part by part, so that a list of any length needs little memory. */
async function takeList(
  context: Context,
  file: string,
  { grace, found }: { grace: number; found: string },
): Promise<LeakCounts> {
  const counts: LeakCounts = { read: 0, known: new Map(), unknown: 0, tooLong: 0 };
  for await (const part of inParts(linesIn(file))) {
    const tokens = part.filter((line) => line.length <= LINE_MAX);
    const reports = tokens.map((token) => ({ token, found }));
    const leaks = await reportLeaks(context, { reports, grace }, { actor: 'command', requestId: null });
    counts.read += part.length;
    counts.tooLong += part.length - tokens.length;
    counts.unknown += tokens.filter((token) => !leaks.has(token)).length;
    for (const { mappingId, hadEnded } of leaks.values())
      if (!counts.known.has(mappingId)) counts.known.set(mappingId, hadEnded);
  }
  return counts;
}

const timeOf = (time: number | null) => (time === null ? null : new Date(time).toISOString());

async function knownJson({ store }: Context, known: LeakCounts['known']) {
  const leaks = await readLeaks(store.durable, [...known.keys()]);
  return [...known].map(([id, hadEnded]) => {
    const leak = leaks.get(id);
    return {
      mapping_id: id,
      had_ended: hadEnded,
      ended_at: timeOf(leak?.endedAt ?? null),
      ends_at: timeOf(leak?.endsAt ?? null),
    };
  });
}

type KnownJson = Awaited<ReturnType<typeof knownJson>>[number];

function lineOf({ mapping_id: id, had_ended: hadEnded, ended_at: ended, ends_at: ends }: KnownJson): string {
  if (hadEnded) return `${id}  had ended before`;
  return ended === null ? `${id}  is revoked at ${ends}` : `${id}  revoked at ${ended}`;
}

function summaryOf({ read, known, unknown, tooLong }: LeakCounts): string {
  const lines = `${read} ${read === 1 ? 'line' : 'lines'}`;
  const parts = [
    `${known.size} ${known.size === 1 ? 'token' : 'tokens'} known`,
    `${unknown} ${unknown === 1 ? 'line' : 'lines'} unknown`,
  ];
  return `${lines}: ${[...parts, ...(tooLong > 0 ? [`${tooLong} too long`] : [])].join(', ')}`;
}

/** `tokens leaked FILE [--grace HOURS] [--found TEXT]`: tokens that were found where others can read them. */
export async function leakedTokens(
  options: { grace?: number; found?: string },
  [file = '-']: readonly string[],
): Promise<Result> {
  return withContext(async ({ context }) => {
    const grace = options.grace === undefined ? context.settings.leakedTokenGrace : options.grace * HOUR;
    const counts = await takeList(context, file, { grace, found: options.found ?? '' });
    const known = await knownJson(context, counts.known);
    // The running bridge sends mails and pending revocations. This process ends here.
    await context.flights.close();
    const { read, unknown, tooLong } = counts;
    return {
      ok: known.length > 0,
      lines: [summaryOf(counts), ...known.map(lineOf)],
      json: { lines: read, known, unknown, too_long: tooLong },
    };
  });
}
