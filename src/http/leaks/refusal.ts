import type { Request, Response } from 'express';
import { WithoutStack } from '../../shared/refusals/without-stack.ts';
import type { RefusalRecorder } from '../../shared/log/refusal-log.ts';
import { sendJson } from '../wire/legacy-error.ts';

/** Why a report is refused, in words for the log of the operator alone. */
type LeakRefusalReason =
  | 'the headers of the signature are missing or broken'
  | 'no key has this identifier'
  | 'the body is too large, packed or cut'
  | 'the signature does not fit the body';

/** A report without a right signature. */
export class LeakReportRefused extends WithoutStack {
  override readonly name = 'LeakReportRefused';
  readonly reason: LeakRefusalReason;
  constructor(reason: LeakRefusalReason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * The one answer to every report without a right signature: a stranger learns nothing of tokens. (That a key is
 * known shows all the same, for without a known one no body is waited for.) The
 * operator finds the reason in the log.
 */
export function refuseReport(
  req: Request,
  res: Response,
  { log, reason }: { log: RefusalRecorder; reason: LeakRefusalReason },
): void {
  log({
    level: 'warn',
    message: 'a leak report was refused',
    address: req.ip ?? '',
    kind: reason,
    fields: { reason },
  });
  sendJson(res, 403, { error: 'The report was refused.' });
}
