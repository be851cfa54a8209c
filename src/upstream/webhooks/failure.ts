/** Why a message did not arrive, in words for the people of the webhook. They get no word of what stands inside. */
export type WebhookFailure =
  | 'the address does not lead to a public server'
  | 'no connection came about'
  | 'the certificate of the server is not valid for this address'
  | 'no answer came in time'
  | 'the connection was closed without an answer'
  | 'the answer was a redirect, which is not followed'
  | 'the answer was no success';

/** A message that did not arrive. Whether its receiver read it is not known. */
export class WebhookNotTaken extends Error {
  override readonly name = 'WebhookNotTaken';
  readonly failure: WebhookFailure;
  readonly status: number | undefined;
  constructor(failure: WebhookFailure, options: { cause?: unknown; status?: number } = {}) {
    super(failure, { cause: options.cause });
    this.failure = failure;
    this.status = options.status;
  }
}
