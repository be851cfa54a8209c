import type { IncomingMessage, ServerResponse } from 'node:http';
import { newRequestId } from '../request-id.ts';
import { REFUSALS } from '../wire/legacy-error.ts';

/**
 * Answers every call with 503 while the process ends after an uncaught error: a process in an unknown state begins no
 * new work. `/ready` gets 503 too, which is also its answer for a process that is not ready.
 */
export function refuseAll(_req: IncomingMessage, res: ServerResponse): void {
  const [status, code, error] = REFUSALS.unavailable;
  const headers = { 'Content-Type': 'application/json;charset=UTF-8', 'Retry-After': '1' };
  res.writeHead(status, { ...headers, ...newRequestId() });
  res.end(JSON.stringify({ error, code }));
}
