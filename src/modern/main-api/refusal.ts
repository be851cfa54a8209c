type RefusalType =
  | 'NotFoundError'
  | 'UnauthorizedError'
  | 'LimitReachedError'
  | 'InvalidInputError'
  | 'RestProxyError'
  | 'VoidMutationError';

/** Ends a mutation, whose transaction is taken back; `type` is the member of the payload's union that says so. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly type: RefusalType;
  /** The error code of the older generation, for a RestProxyError. */
  readonly code: number | null;
  constructor(type: RefusalType, message: string, code: number | null = null) {
    super(message);
    this.type = type;
    this.code = code;
  }
}

/** All problems of an input at once; each is a sentence without its full stop. */
export const invalidInput = (problems: readonly string[]) =>
  new Refusal('InvalidInputError', problems.join('. '));

export function requireSound(problems: readonly string[]): void {
  if (problems.length > 0) throw invalidInput(problems);
}

interface RefusalPayload {
  __typename: RefusalType;
  message: string;
  code: number | null;
}

/** What `work` returns, or the refusal it threw as the union member that the payload has for it. */
export function payloadOf<T>(work: () => T): T | RefusalPayload {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) {
      const { type, message, code } = error;
      return { __typename: type, message, code };
    }
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
