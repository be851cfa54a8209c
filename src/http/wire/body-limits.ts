/** The size limits of bodies, in bytes. */

/** For every caller. */
export const BODY_LIMIT = 256 * 1024;

/** For a caller with a known token in the header or the query. */
export const LARGE_BODY_LIMIT = 10 * 1024 * 1024;

/** For the unpacked body of a caller without such a token. */
export const STRANGERS_UNPACKED_LIMIT = 16 * 1024;

/** A longer body takes one of a few places while it arrives. The forms of old calls are shorter. */
export const SHORT_BODY = 16 * 1024;
