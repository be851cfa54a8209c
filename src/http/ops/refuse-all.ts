import type { IncomingMessage, ServerResponse } from 'node:http';
import { REFUSALS } from '../wire/legacy-error.ts';

/**
 * Answers every call with 503 while the process ends after an error that nobody caught: nothing new is begun in a process
 * whose state is unknown. `/ready` is refused like everything else, which is its answer too.
 */
export function refuseAll(_req: IncomingMessage, res: ServerResponse): void {
  const [status, code, error] = REFUSALS.unavailable;
  res.writeHead(status, { 'Content-Type': 'application/json;charset=UTF-8', 'Retry-After': '1' });
  res.end(JSON.stringify({ error, code }));
}
