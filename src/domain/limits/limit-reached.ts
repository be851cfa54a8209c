import { Refusal } from '../../shared/refusals/refusal.ts';

/** A limit on calls or on the new API's budget is reached. Nothing was sent, and the caller may come again. */
export class LimitReached extends Refusal {
  /** Milliseconds until the caller may come again. */
  readonly retryAfter: number;
  constructor(reason: string, retryAfter: number) {
    super(reason);
    this.retryAfter = retryAfter;
  }
}
