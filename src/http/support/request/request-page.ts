import type { Request, RequestHandler, Router } from 'express';
import {
  describeRequest,
  type RequestDescription,
} from '../../../domain/support/request/describe-request.ts';
import { PageError } from '../../pages/page-error.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { timelineLine } from '../timeline/timeline-words.ts';
import { withLastUse } from '../../../domain/support/token-rows.ts';
import { tokenLine } from '../token/token-line.ts';
import { writeLines } from '../token/write-words.ts';

/** /support/requests/:requestId: what one request changed and wrote, and how to find its lines in the log. */

/** The id of the entry after which the page begins; 0 for the first page. */
function placeIn(req: Request): number {
  const after = Number(req.query['after']);
  return Number.isSafeInteger(after) && after > 0 ? after : 0;
}

async function described({ context }: PageShell, req: Request): Promise<RequestDescription> {
  const found = await describeRequest(context, String(req.params['requestId']), placeIn(req));
  if (found) return found;
  throw new PageError(404, 'This request left nothing here', {
    reason: 'A request that changed nothing is kept in the log alone. So is a call that was refused.',
    next: 'Ask whoever keeps the log for the lines with this requestId: the line “request” names the token (mappingId) and says why.',
  });
}

function show(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const { events, writes, tokens, names, next } = await described(frame, req);
    const readers = { names, holderId: undefined };
    frame.page(res, 'support-request', {
      title: 'One request',
      wide: true,
      requestId: String(req.params['requestId']),
      shown: events.length,
      isFirst: placeIn(req) === 0,
      next: next === undefined ? undefined : `?after=${next}`,
      tokens: (await withLastUse(frame.context, tokens)).map((one) => tokenLine(frame.context, one)),
      writes: { lines: writeLines({ writes, channels: new Map() }), part: undefined },
      timeline: { lines: events.map((event) => timelineLine(event, readers)) },
    });
  };
}

/** Adds /support/requests/:requestId. */
export function requestRoutes(router: Router, frame: PageShell): void {
  router.get('/support/requests/:requestId', show(frame));
}
