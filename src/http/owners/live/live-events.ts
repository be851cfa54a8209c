import type { Response } from 'express';

/** Server-sent events, written to one browser. */

/** So long after a cut the browser connects again. */
const RETRY = 2000;

/** A browser that does not read is let go before it fills the memory. */
const UNREAD_MAX = 512 * 1024;

interface Event {
  name: string;
  /** HTML; where it was the last that came, the browser sends `id` when it connects again. */
  data: string;
  id?: string;
}

/** One event as it is written. */
function eventText({ name, data, id }: Event): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`);
  return [`event: ${name}`, ...(id === undefined ? [] : [`id: ${id}`]), ...lines, '', ''].join('\n');
}

/**
 * Begins to answer with events. No cache and no proxy may hold them back, and the connection ends with them: one that was
 * kept for another request would hold up a server that stops.
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
    /** Shows proxies, and the other end, that the connection lives. */
    beat: () => write(': still here\n\n'),
  };
}
