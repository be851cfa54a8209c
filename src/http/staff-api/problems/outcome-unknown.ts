import { WithoutStack } from '../../../shared/refusals/without-stack.ts';

/**
 * A write failed, and nobody knows whether it was done. `isClaimed`: its Idempotency-Key stays claimed, so sent again with
 * this key, it is not done.
 */
export class OutcomeUnknown extends WithoutStack {
  override readonly name = 'OutcomeUnknown';
  readonly isClaimed: boolean;

  constructor(cause: unknown, isClaimed: boolean) {
    super('a write failed', { cause });
    this.isClaimed = isClaimed;
  }
}

/** What failed in truth. */
export const causeOf = (error: unknown): unknown => (error instanceof OutcomeUnknown ? error.cause : error);
