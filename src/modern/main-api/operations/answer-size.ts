import { defaultFieldResolver, type ExecutionResult, GraphQLError } from 'graphql';
import type { GraphQLFieldResolver } from 'graphql';

const MOST_CHARACTERS = 8 * 1024 * 1024;

/**
 * Subtracts the characters of the keys and strings in `value` from `room`, without making JSON. Below 0: `value` does
 * not fit.
 */
function roomBehind(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length;
  if (typeof value !== 'object' || value === null) return room;
  let left = room;
  for (const [key, part] of Object.entries(value)) {
    left = roomBehind(part, left - key.length);
    if (left < 0) return left;
  }
  return left;
}

/**
 * More than the cost limit lets a query have from lists with pages. The cost limit counts a list without pages as one
 * element, whatever the list holds.
 */
const MOST_VALUES = 200_000;

const TOO_MANY_VALUES = new GraphQLError('The answer has more than the limit of 200,000 values');

/**
 * Resolves fields as graphql does by default. Counts the fields and the elements of lists, and fails every field behind
 * MOST_VALUES: the server does not make the rest of an answer that it refuses. Make one for each query.
 */
export function countingResolver(): GraphQLFieldResolver<unknown, unknown> {
  let values = 0;
  return (...field) => {
    const value: unknown = defaultFieldResolver(...field);
    values += Array.isArray(value) ? value.length + 1 : 1;
    if (values > MOST_VALUES) throw TOO_MANY_VALUES;
    return value;
  };
}

/**
 * Whether the data of an answer holds more than 8 MB of text [inferred]. The cost limit counts the fields of a query,
 * not the text in the fields. Only lists reach 8 MB: the mutations that one request can hold answer with less.
 */
const isTooLarge = (data: unknown): boolean => roomBehind(data, MOST_CHARACTERS) < 0;

const stoppedCounting = ({ errors = [] }: ExecutionResult) =>
  errors.some(({ originalError }) => originalError === TOO_MANY_VALUES);

/** The limit that an answer breaks, as the message for the client. Undefined when the answer keeps the limits. */
export function brokenAnswerLimit(result: ExecutionResult): string | undefined {
  if (stoppedCounting(result)) return TOO_MANY_VALUES.message;
  return isTooLarge(result.data) ? 'The answer is larger than the limit of 8 MB' : undefined;
}
