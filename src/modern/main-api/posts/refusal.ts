type RefusalType = 'NotFoundError' | 'UnauthorizedError' | 'LimitReachedError' | 'InvalidInputError';

/** Ends a mutation, whose transaction is taken back; `type` is the member of PostActionPayload that says so. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly type: RefusalType;
  constructor(type: RefusalType, message: string) {
    super(message);
    this.type = type;
  }
}

/** All reasons at once, in the form seen on the real service: sentences, joined by commas (modern-api.md 1.6). */
export const invalidPost = (problems: readonly string[]) =>
  new Refusal('InvalidInputError', `Invalid post: ${problems.join(', ')}`);

/** What `work` returns, or the refusal it threw as the union member that the payload has for it. */
export function payloadOf<T>(work: () => T): T | { __typename: RefusalType; message: string } {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return { __typename: error.type, message: error.message };
    throw error;
  }
}
