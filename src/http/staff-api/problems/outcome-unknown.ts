import { WithoutStack } from '../../../shared/refusals/without-stack.ts';

/** A write failed whose Idempotency-Key stays claimed: sent again with this key, it is not done. */
export class OutcomeUnknown extends WithoutStack {
  override readonly name = 'OutcomeUnknown';

  constructor(cause: unknown) {
    super('a write with an Idempotency-Key failed', { cause });
  }
}

/** What failed in truth. */
export const causeOf = (error: unknown): unknown => (error instanceof OutcomeUnknown ? error.cause : error);
