type RefusalType =
  | 'NotFoundError'
  | 'UnauthorizedError'
  | 'LimitReachedError'
  | 'InvalidInputError'
  | 'VoidMutationError';

/** Ends a mutation, whose transaction is taken back; `type` is the member of the payload's union that says so. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly type: RefusalType;
  constructor(type: RefusalType, message: string) {
    super(message);
    this.type = type;
  }
}

/** All problems of an input at once; each is a sentence without its full stop. */
export const invalidInput = (problems: readonly string[]) =>
  new Refusal('InvalidInputError', problems.join('. '));

export function requireSound(problems: readonly string[]): void {
  if (problems.length > 0) throw invalidInput(problems);
}

/** What `work` returns, or the refusal it threw as the union member that the payload has for it. */
export function payloadOf<T>(work: () => T): T | { __typename: RefusalType; message: string } {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return { __typename: error.type, message: error.message };
    throw error;
  }
}

/** As payloadOf, for a payload that has one member for every refusal. */
export const voidPayloadOf = <T>(work: () => T) =>
  payloadOf(() => {
    try {
      return work();
    } catch (error) {
      throw error instanceof Refusal ? new Refusal('VoidMutationError', error.message) : error;
    }
  });
