/** Every fixed lifetime and time limit of the bridge, in milliseconds; those that an operator may set live in config.ts. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;

/**
 * How far the clocks of two processes on one database may be apart; more is not ready to serve (docs/decisions/0012).
 */
export const CLOCKS_DIFFER = 1 * SECOND;

/** Legacy authorization code: valid strictly less than this (docs/old-api.md Q19). */
export const LEGACY_CODE_LIFETIME = 30 * SECOND;

/** A new grant whose consent ended before the legacy code was made is revoked after this time. */
export const UNFINISHED_CONSENT = 10 * MINUTE;

/** From the arrival at the old authorize address to the return from the modern consent. */
export const AUTHORIZATION_REQUEST_LIFETIME = 30 * MINUTE;

/** A person stays signed in for this long after the sign-in at most, and this long after the last request. */
export const SESSION_LIFETIME = 12 * 60 * MINUTE;
export const SESSION_IDLE = 60 * MINUTE;

/** A session that is used is written no more often than this. */
export const SESSION_TOUCH = 1 * MINUTE;

/** A link that was mailed to prove an e-mail address; and the time within which an account is sent a few of them. */
export const EMAIL_PROOF_LIFETIME = 1 * DAY;
export const EMAIL_PROOF_BRAKE = 60 * MINUTE;

/** A claimed refresh token is written within this time or not at all (docs/decisions/0003). */
export const CLAIM_TO_WRITE_LIMIT = 2 * SECOND;

/** Connecting to the modern side, before anything is claimed. */
export const CONNECT_TIMEOUT = 5 * SECOND;

/** One exchange with the modern side, from the first byte out to the last byte in. */
export const UPSTREAM_TIMEOUT = 15 * SECOND;

/** How long a legacy caller waits for a refresh; the shortest limit of an old client is 20 s (docs/old-api.md Q18). */
export const CALLER_WAIT = 10 * SECOND;

/** A `presenting` record older than this belongs to a process that died: its outcome is in doubt. */
export const PRESENTING_LIMIT = CLAIM_TO_WRITE_LIMIT + UPSTREAM_TIMEOUT + 3 * SECOND;

/** How often a process that waits for another's refresh looks again. */
export const LOOK_AGAIN = 50;

/** The share of an access token's life after which it is renewed in the background. */
export const REFRESH_AFTER_SHARE = 0.75;

/** Back-off per grant between attempts that failed without spending the token. */
export const RETRY_BASE = 1 * SECOND;
export const RETRY_MAX = 15 * MINUTE;

/** Lost answers stop presentations: how long until one is tried again, how long at most, and how far back they count. */
export const BREAKER_PAUSE = 1 * MINUTE;
export const BREAKER_PAUSE_MAX = 5 * MINUTE;
export const BREAKER_LOOKS_BACK = 15 * MINUTE;

/** A presentation without an answer after this time counts as a lost answer, until the answer comes. */
export const SILENT_AFTER = 3 * SECOND;

/** Answers that came within this time say how answers come now. */
export const ANSWERS_SPEAK = 3 * SECOND;

/** Many deaths stop all refreshing for this long. */
export const DEATHS_STOP = 5 * MINUTE;

/** No rest is longer, asked for or not; a later `retry_at` or `suspect_until` was written by a clock that was wrong. */
export const REST_MAX = 60 * MINUTE;

/** A dead grant keeps its sealed pair this long, for support (docs/decisions/0005). */
export const DEAD_GRANT_KEPT = 7 * DAY;

/** A request that never came back from the modern side is of no use once it is over; clocks may differ a little. */
export const UNFINISHED_REQUESTS_KEPT = 2 * MINUTE;

/** Used or expired codes and finished authorization requests are kept this long for the record of replays. */
export const SPENT_ROWS_KEPT = 1 * DAY;

/** What tokens were used for is known for this long, so that what is called once a year is seen before retirement. */
export const USAGE_KEPT = 400 * DAY;

/** The modern side promises at most this for `expires_in`; larger values are cut (docs/threats.md E97). */
export const ACCESS_TOKEN_LIFETIME_MAX = 365 * DAY;

/**
 * After a token was mapped its calls wait this long for the ids of the older generation, where the old backend does not
 * answer; before it was mapped that backend answered them alone.
 */
export const LEARN_PATIENCE = 10 * MINUTE;

/** Storing what an exchange brought, in a database that answers. */
export const STORE_LIMIT = 1 * SECOND;

/**
 * From the end of the drain a stop takes so long at most: calls that were accepted end, then what they began, and then
 * what is in memory is written. A call is cut a second before.
 */
export const STOP_LIMIT = UPSTREAM_TIMEOUT + 5 * SECOND;
export const CALLS_CUT_AFTER = STOP_LIMIT - STORE_LIMIT;

/** How long calls are shown live; how long one look lasts; and how long an app is watched after the last one. */
export const LIVE_KEPT = 10 * MINUTE;
export const LIVE_LOOK = 10 * MINUTE;
export const LIVE_WATCH = 2 * MINUTE;

/**
 * One old call that writes: a post that is not claimed within the first time is not sent any more; what has no answer
 * within the second is in doubt for its caller, which may wait 20 seconds at most.
 */
export const WRITE_BEGUN_WITHIN = 9 * SECOND;
export const WRITE_ANSWERED_WITHIN = 17 * SECOND;

/** A call of many moves goes on for longer: the moves before are made, and the same call again goes on behind them. */
export const MOVE_BEGUN_WITHIN = 13 * SECOND;

/** How long a write waits for one of the few places; it must be begun in time after that. */
export const WRITE_PLACE_WITHIN = 5 * SECOND;

/** From the claim of a write to its last byte out, a renewal of the access token in between included. */
export const WRITE_SENT_WITHIN = CALLER_WAIT + CLAIM_TO_WRITE_LIMIT;

/** A write without an outcome after this time belongs to a process that died. */
export const WRITE_ABANDONED = WRITE_SENT_WITHIN + UPSTREAM_TIMEOUT + 13 * SECOND;

/** From the row of a write to the post that it makes, at the longest, by one clock. */
export const WRITE_MADE_WITHIN = WRITE_SENT_WITHIN + UPSTREAM_TIMEOUT;

/** How soon after a lost answer the bridge looks for the post, and when it stops looking. */
export const WRITE_LOOKS = [0, 10 * SECOND, 1 * MINUTE, 10 * MINUTE] as const;

/** Whatever kept the looks from a write in doubt, it is not looked for any longer. */
export const WRITE_LOOKED_FOR = 24 * 60 * MINUTE;

/** How far the clock of the new API may differ from ours: a post made so long before its write may be the write's. */
export const WRITE_CLOCKS_DIFFER = 5 * SECOND;

/** What was written is known to support for this long. */
export const WRITES_KEPT = 30 * DAY;

/**
 * How long the id is kept by which an app knows an update, after the update was last shown and was due; and how late a new
 * showing may be noted.
 */
export const UPDATE_IDS_KEPT = 180 * DAY;
export const UPDATE_IDS_SEEN_EVERY = 7 * DAY;
