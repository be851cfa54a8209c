import { GraphQLError, type GraphQLScalarType, Kind } from 'graphql';
import { DateTime } from 'luxon';

/** No place on earth is further than 14 hours off; luxon would take +99:99. */
const WITH_OFFSET = /T.*(?:Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)$/i;

const MAX_LENGTH = 40;
const FIRST_YEAR = 1970;
const LAST_YEAR = 2999;

/** ISO 8601 with milliseconds and Z, of an instant that ISO 8601 or Unix milliseconds name. */
const instant = (value: string | number) => new Date(value).toISOString();

/**
 * The instant a client names, as ISO 8601 with milliseconds and Z. It must say its offset, and lie in the years 1970 to
 * 2999; anything else is a GraphQLError.
 */
function parseInstant(value: unknown): string {
  if (typeof value === 'string' && value.length <= MAX_LENGTH && WITH_OFFSET.test(value)) {
    const time = DateTime.fromISO(value, { zone: 'utc' });
    if (time.isValid && time.year >= FIRST_YEAR && time.year <= LAST_YEAR) return instant(time.toMillis());
  }
  throw new GraphQLError(
    `A DateTime must be ISO 8601 with an offset or Z, in the years ${FIRST_YEAR} to ${LAST_YEAR}`,
  );
}

function serializeInstant(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return instant(value);
  throw new TypeError('a DateTime is served from ISO 8601 or Unix milliseconds');
}

/** Gives the scalar DateTime of a built schema its rules, so that no resolver ever sees an invalid time. */
export function defineDateTime(scalar: GraphQLScalarType): void {
  scalar.parseValue = parseInstant;
  scalar.parseLiteral = (node) => parseInstant(node.kind === Kind.STRING ? node.value : undefined);
  scalar.serialize = serializeInstant;
}
