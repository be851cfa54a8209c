type RefusalType =
  | 'NotFoundError'
  | 'UnauthorizedError'
  | 'LimitReachedError'
  | 'InvalidInputError'
  | 'RestProxyError'
  | 'VoidMutationError';

/** Ends a mutation and rolls the transaction back. `type` is the member of the payload's union that the client gets. */
export class ApiRefusal extends Error {
  override readonly name = 'Refusal';
  readonly type: RefusalType;
  /** For a RestProxyError: the error code of the old API. */
  readonly code: number | null;
  constructor(type: RefusalType, message: string, code: number | null = null) {
    super(message);
    this.type = type;
    this.code = code;
  }
}

/** Refuses an input with all problems at once. Each problem is a sentence without the full stop. */
export const invalidInput = (problems: readonly string[]) =>
  new ApiRefusal('InvalidInputError', problems.join('. '));

export function requireSound(problems: readonly string[]): void {
  if (problems.length > 0) throw invalidInput(problems);
}

interface RefusalPayload {
  __typename: RefusalType;
  message: string;
  code: number | null;
}

/** Returns the result of `work`. When `work` throws a Refusal, returns the union member for that refusal. */
export function payloadOf<T>(work: () => T): T | RefusalPayload {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiRefusal) {
      const { type, message, code } = error;
      return { __typename: type, message, code };
    }
    throw error;
  }
}

/** Like payloadOf, for a payload whose only member for refusals is VoidMutationError. */
export const voidPayloadOf = <T>(work: () => T) =>
  payloadOf(() => {
    try {
      return work();
    } catch (error) {
      throw error instanceof ApiRefusal ? new ApiRefusal('VoidMutationError', error.message) : error;
    }
  });
