import type { RequestHandler } from 'express';
import type { LegacyDeps } from '../deps.ts';
import { oldConfiguration } from '../../../domain/translation/networks.ts';
import type { createCalls } from '../call.ts';
import { sendJson } from '../../wire/legacy-error.ts';

/** GET /1/info/configuration.json: services and their limits, from a table of the bridge. */
export function configurationEndpoint(
  _context: LegacyDeps,
  call: ReturnType<typeof createCalls>,
): RequestHandler {
  const answer = oldConfiguration();
  return call(async (_caller, _req, res) => sendJson(res, 200, answer));
}
