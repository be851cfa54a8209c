import type { IncomingMessage, ServerResponse } from 'node:http';
import { REFUSALS } from '../wire/legacy-error.ts';

/**
 * Answers every call with 503 while the process ends after an uncaught error: a process in an unknown state begins no
 * new work. `/ready` gets 503 too, which is also its answer for a process that is not ready.
 */
export function refuseAll(_req: IncomingMessage, res: ServerResponse): void {
  const [status, code, error] = REFUSALS.unavailable;
  res.writeHead(status, { 'Content-Type': 'application/json;charset=UTF-8', 'Retry-After': '1' });
  res.end(JSON.stringify({ error, code }));
}
