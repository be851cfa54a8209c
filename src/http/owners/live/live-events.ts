import type { Response } from 'express';

/** Writes server-sent events to one browser. */

/** How long after a cut the browser connects again. */
const RETRY = 2000;

/** A browser that does not read is cut off before it fills the memory. */
const UNREAD_MAX = 512 * 1024;

interface Event {
  name: string;
  /** HTML. When this event was the last, the browser sends `id` when it connects again. */
  data: string;
  id?: string;
}

/** One event as text of the stream. */
function eventText({ name, data, id }: Event): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`);
  return [`event: ${name}`, ...(id === undefined ? [] : [`id: ${id}`]), ...lines, '', ''].join('\n');
}

/**
 * Begins an answer of events. No cache and no proxy may hold the events back. The connection ends with the events: a
 * connection that is kept for another request would delay a server that stops.
 */
export function openEvents(res: Response) {
  res.set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
    Connection: 'close',
  });
  res.flushHeaders();
  const write = (text: string) => {
    if (res.writableLength > UNREAD_MAX) res.destroy();
    else if (!res.writableEnded) res.write(text);
  };
  write(`retry: ${RETRY}\n\n`);
  return {
    send: (event: Event) => write(eventText(event)),
    /** Shows proxies and the browser that the connection is alive. */
    beat: () => write(': still here\n\n'),
  };
}
