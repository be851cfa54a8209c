/** How many bytes the body of a call may have. */

/** Of anybody. */
export const BODY_LIMIT = 256 * 1024;

/** Of a caller whom a token in the header or the query makes known. */
export const LARGE_BODY_LIMIT = 10 * 1024 * 1024;

/** How far a packed body is unpacked of a caller whom nothing before the body makes known. */
export const STRANGERS_UNPACKED_LIMIT = 16 * 1024;
