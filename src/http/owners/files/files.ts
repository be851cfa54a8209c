import type { Request, RequestHandler, Response, Router } from 'express';
import { openSession } from '../../../domain/accounts/sessions.ts';
import { callersOf } from '../../../domain/usage/callers.ts';
import { type CountedDays } from '../../../domain/usage/counted-days.ts';
import { dayOf } from '../../../shared/moments.ts';
import { PageError } from '../../pages/page-error.ts';
import { type FileForm, type FileRow, sendRowFile } from '../../pages/row-files.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { readerOf } from '../../site/reader.ts';
import { SPANS, spanOf } from '../calls/spans.ts';
import { createOpenLimit, type OpenLimit, statusOfTooMany } from '../open-limit.ts';
import { type ShownApp, shownApp } from '../shown-app.ts';
import { CALL_COLUMNS, callRows } from './call-file.ts';
import { TOKEN_COLUMNS, tokenRows } from './token-file.ts';

/**
 * /apps/:clientId/tokens.csv and .json, /apps/:clientId/calls.csv and .json: what the pages of these names show, to take
 * away. Who sees all of the app gets all of it, other people get what is their own.
 */

/** Files of one person within a minute. A file of a large app reads every token of it. */
const FILES_A_MINUTE = 10;

function brake({ context }: PageShell, req: Request, res: Response): void {
  const { points, secondsLeft } = context.counts.count(['owner files', readerOf(req).id]);
  if (points <= FILES_A_MINUTE) return;
  res.set('Retry-After', String(secondsLeft));
  throw new PageError(429, 'Too many files', {
    reason: `One person can take ${FILES_A_MINUTE} files in a minute. Nothing was sent.`,
    next: `Wait ${secondsLeft} ${secondsLeft === 1 ? 'second' : 'seconds'} and open it again.`,
  });
}

/** Since when all calls are counted; null where that is for all the days, and where nobody knows it. */
const sinceOf = ({ since }: CountedDays) => (since === undefined ? null : new Date(since).toISOString());

/** A reader of the CSV sees in each row whether more calls may have come. */
async function* marked(rows: AsyncIterable<FileRow>, { isPartial }: CountedDays): AsyncGenerator<FileRow> {
  const mark = { calls_may_be_missing: isPartial ? 'yes' : 'no' };
  for await (const row of rows) yield { ...row, ...mark };
}

interface AppFile {
  columns: readonly string[];
  /** The days of the calls that the file counts. */
  daysOf(req: Request): number;
  rows(
    shown: ShownApp,
    who: Awaited<ReturnType<typeof callersOf>>['who'],
    days: number,
  ): ReturnType<typeof callRows>;
}

/** A span that the page does not have is refused: a file of other days would be taken for those that were asked for. */
function daysAsked(req: Request): number {
  const { days } = req.query;
  if (days === undefined || SPANS.some((span) => String(span) === days)) return spanOf(req);
  throw new PageError(400, 'There is no such file', {
    reason: `days is ${SPANS.slice(0, -1).join(', ')} or ${SPANS.at(-1)}.`,
    next: 'Choose the days on the page of the calls.',
  });
}

function filesOf({ context }: PageShell): Readonly<Record<'tokens' | 'calls', AppFile>> {
  return {
    tokens: { columns: TOKEN_COLUMNS, daysOf: () => 30, rows: (shown) => tokenRows(context, shown) },
    calls: {
      columns: CALL_COLUMNS,
      daysOf: daysAsked,
      rows: (_shown, who, days) => callRows(context, who, days),
    },
  };
}

/** Of files that are sent at the same time. A reader who takes a file slowly holds its place. */
const OPEN_MOST = { ofOnePerson: 3, ofOneProcess: 50 };

const TOO_MANY = {
  'too many of this person': 'Three files of yours are being sent now. Nothing more was sent.',
  'too many': 'Many people take files now. Nothing was sent.',
} as const;

/** Takes a place for a file. Returns the function that gives it back. */
function takePlace(open: OpenLimit, req: Request, res: Response): () => void {
  const taken = open.take(readerOf(req).id);
  if (typeof taken !== 'string') return taken;
  res.set('Retry-After', '10');
  throw new PageError(statusOfTooMany(res, taken), 'Too many files at once', {
    reason: TOO_MANY[taken],
    next: 'Wait until one of them is done, and open it again.',
  });
}

/** Whether the reader is still signed in, and still sees as much of the app as when the file began. */
async function mayStillRead({ context }: PageShell, req: Request, { seesAll }: ShownApp): Promise<boolean> {
  if ((await openSession(context, req.sessionID)) === undefined) return false;
  return (await shownApp(context, req)).seesAll === seesAll;
}

interface SentFile {
  kind: 'tokens' | 'calls';
  form: FileForm;
}

function sendFile(frame: PageShell, open: OpenLimit, { kind, form }: SentFile): RequestHandler {
  const { context } = frame;
  const file = filesOf(frame)[kind];
  async function send(res: Response, shown: ShownApp, days: number): Promise<void> {
    const now = context.clock.now();
    const { who, within } = await callersOf(context, shown.of);
    const { client_id: clientId, name } = shown.app;
    await sendRowFile(res, form, {
      name: `${kind}-${clientId.replace(/[^\w-]/g, '')}-${dayOf(now)}`,
      columns: [...file.columns, 'calls_may_be_missing'],
      head: {
        app: { client_id: clientId, name },
        of: shown.seesAll ? 'app' : 'own account',
        exported_at: new Date(now).toISOString(),
        days,
        calls_counted_since: sinceOf(within(days)),
      },
      rows: marked(file.rows(shown, who, days), within(days)),
      mayGoOn: () => mayStillRead(frame, res.req, shown),
    });
  }
  return async (req, res) => {
    const shown = await shownApp(context, req);
    const days = file.daysOf(req);
    brake(frame, req, res);
    const giveBack = takePlace(open, req, res);
    await send(res, shown, days).finally(giveBack);
  };
}

/** Adds the files of an app. */
export function appFileRoutes(router: Router, frame: PageShell): void {
  const open = createOpenLimit(OPEN_MOST);
  for (const kind of ['tokens', 'calls'] as const)
    for (const form of ['csv', 'json'] as const)
      router.get(
        `/apps/:clientId/${kind}.${form}`,
        frame.requirePerson,
        sendFile(frame, open, { kind, form }),
      );
}
