import type { Request } from 'express';
import type { LegacyDeps } from '../deps.ts';
import { AnswerLost } from '../../../domain/failures.ts';
import { mayWriteThere, oldCallOf } from '../../../domain/old-calls/old-calls.ts';
import type { ResolvedToken } from '../../../domain/tokens/resolve-token.ts';
import { provenApp } from '../../../domain/tokens/proven-app.ts';
import { lostThereWords } from '../../../domain/translation/doubt-words.ts';
import { placeToLook, WriteRefused } from '../posts/write-answers.ts';

/** A call that wrote at the old API, perhaps, and whose answer is lost. */

interface LostCall {
  req: Request;
  mapping: ResolvedToken['mapping'] | undefined;
}

/** The page of the app, where the app is proven; else the page about both APIs. */
function linkFor(context: LegacyDeps, mapping: LostCall['mapping']): string {
  const clientId = mapping && provenApp(mapping);
  return clientId === undefined
    ? `${context.settings.publicUrl}/lifecycle`
    : placeToLook(context, { client_id: clientId });
}

/**
 * The failure of a passed call, as its caller is told of it. A write that may have arrived is in doubt, as at the new API: told
 * to come again, a client would post twice. Every other failure stays as it is.
 */
export function whatIsLost(context: LegacyDeps, { req, mapping }: LostCall, error: unknown): unknown {
  if (!(error instanceof AnswerLost) || !mayWriteThere(req)) return error;
  return new WriteRefused([500, 1000, lostThereWords(oldCallOf(req.path))], {
    extra: { link: linkFor(context, mapping) },
    cause: error,
  });
}
