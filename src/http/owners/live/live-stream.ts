import { setTimeout as delay } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { type LiveView, liveViewOf } from '../../../domain/live/live-view.ts';
import { type LiveCursor, placeText, readPlace } from '../../../domain/live/place.ts';
import { readNewest, readOn } from '../../../domain/live/read-live.ts';
import { openSession } from '../../../domain/accounts/sessions.ts';
import { LIVE_LOOK } from '../../../shared/lifetimes.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { openEvents } from './live-events.ts';
import { liveLine, toldWords } from './live-words.ts';

/**
 * The events of an open page with live calls: each call as a row, how many calls came, and why the stream ended. The
 * stream ends after ten minutes, with the session, or when the person may no longer see the calls.
 */

/** How often the stream looks for new calls. The other intervals count in these turns. */
const TURN = 300;

const CHECK_EVERY = 10;

const BEAT_EVERY = 50;

const WATCH_EVERY = 100;

/** A screen reader should not announce every single call. */
const COUNT_EVERY = 7;

const ENDINGS = {
  time: 'This page has looked for ten minutes and rests now.',
  person: 'You were signed out, or this app is not yours to see any more, so nothing more is shown.',
};

interface Stream {
  frame: PageShell;
  req: Request;
  view: LiveView;
  events: ReturnType<typeof openEvents>;
  endsAt: number;
}

async function isStillAllowed({ frame: { context }, req, view }: Stream): Promise<boolean> {
  const { accountId, email } = signedInPerson(req);
  if ((await openSession(context, req.sessionID)) === undefined) return false;
  const now = await liveViewOf(context, { clientId: view.clientId, accountId, email });
  return now !== undefined && now.accountId === view.accountId;
}

async function endingOf(stream: Stream, isChecked: boolean): Promise<keyof typeof ENDINGS | undefined> {
  if (stream.frame.context.clock.now() >= stream.endsAt) return 'time';
  if (isChecked && !(await isStillAllowed(stream))) return 'person';
  return undefined;
}

/** Sends the calls since the last turn. `place` is the position after these calls. */
function tell({ frame, events, view }: Stream, { fresh, place }: Awaited<ReturnType<typeof readOn>>): void {
  if (fresh.length === 0) return;
  const seesAll = view.access !== undefined;
  const lines = fresh.map((call) => liveLine(call, { seesAll, isFresh: true }));
  const data = frame.parts.pages.part('live-rows', { lines });
  events.send({ name: 'calls', data, id: placeText(place) });
}

/**
 * The position from which this page continues: the position of its last event, else the position in the page itself.
 */
async function placeOf({ frame, req, view }: Stream): Promise<LiveCursor> {
  const asked = req.get('last-event-id') ?? req.query['after'];
  const place = typeof asked === 'string' ? readPlace(asked) : undefined;
  return place ?? (await readNewest(frame.context, view)).place;
}

async function keepUp(stream: Stream, turn: number): Promise<void> {
  if (turn % BEAT_EVERY === BEAT_EVERY - 1) stream.events.beat();
  if (turn % WATCH_EVERY === 0) await stream.frame.context.live.watch(stream.view.clientId);
}

/** Runs until the stream ends by itself or `signal` ends it. */
async function follow(stream: Stream, signal: AbortSignal): Promise<void> {
  let place = await placeOf(stream);
  let counted = place.told;
  for (let turn = 0; !signal.aborted; turn += 1) {
    const news = await readOn(stream.frame.context, stream.view, { place, isFirst: turn === 0 });
    // A person who was signed out before a call was read must not see the call.
    const ending = await endingOf(stream, news.fresh.length > 0 || turn % CHECK_EVERY === 0);
    if (ending) return stream.events.send({ name: 'end', data: endData(stream, ending) });
    tell(stream, news);
    ({ place } = news);
    if (place.told !== counted && (counted === 0 || turn % COUNT_EVERY === 0)) {
      counted = place.told;
      stream.events.send({ name: 'count', data: toldWords(counted) });
    }
    await keepUp(stream, turn);
    await delay(TURN, undefined, { signal }).catch(() => undefined);
  }
}

function endData({ frame, view }: Stream, ending: keyof typeof ENDINGS): string {
  return frame.parts.pages.part('live-ended', { reason: ENDINGS[ending], clientId: view.clientId });
}

/** Answers with the calls of an app as they arrive. */
export async function streamCalls(frame: PageShell, res: Response, view: LiveView): Promise<void> {
  const { context } = frame;
  const { req } = res;
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const endsAt = context.clock.now() + LIVE_LOOK;
  const events = openEvents(res);
  try {
    await follow({ frame, req, view, events, endsAt }, AbortSignal.any([gone.signal, context.live.ending]));
  } catch (error) {
    // The browser connects again, and may reach a process that works.
    context.logger.warn('a live page was left', { error });
  } finally {
    res.end();
  }
}
