import { GraphQLError, type GraphQLScalarType, Kind } from 'graphql';
import { DateTime } from 'luxon';

/** Offsets go up to 14 hours, the largest on earth; luxon would accept +99:99. */
const WITH_OFFSET = /T.*(?:Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)$/i;

const MAX_LENGTH = 40;
const FIRST_YEAR = 1970;
const LAST_YEAR = 2999;

/** Takes an instant as ISO 8601 or Unix milliseconds, and gives ISO 8601 with milliseconds and Z. */
const instant = (value: string | number) => new Date(value).toISOString();

/**
 * Reads the instant that a client sent, and gives ISO 8601 with milliseconds and Z. The instant must have an offset or
 * Z, and must lie in the years 1970 to 2999.
 * @throws {GraphQLError} for every other value
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

/** Adds the rules to the scalar DateTime of a built schema. No resolver sees an invalid time afterwards. */
export function defineDateTime(scalar: GraphQLScalarType): void {
  scalar.parseValue = parseInstant;
  scalar.parseLiteral = (node) => parseInstant(node.kind === Kind.STRING ? node.value : undefined);
  scalar.serialize = serializeInstant;
}
