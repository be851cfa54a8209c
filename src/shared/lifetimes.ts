/**
 * Every fixed lifetime and time limit of the bridge, in milliseconds. The limits that an operator may set are in
 * config.ts.
 */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * How far the clocks of two processes on one database may differ. A process beyond this limit is not ready to serve
 * (docs/decisions/0012).
 */
export const CLOCKS_DIFFER = 1 * SECOND;

/** An authorization code of the old API is valid for strictly less than this (docs/old-api.md Q19). */
export const LEGACY_CODE_LIFETIME = 30 * SECOND;

/** When an authorization breaks off before the old code is made, its new grant is revoked after this time. */
export const UNFINISHED_CONSENT = 10 * MINUTE;

/** From the arrival at the old authorize address to the return from the consent at the new API. */
export const AUTHORIZATION_REQUEST_LIFETIME = 30 * MINUTE;

/** How long a person stays signed in at most: after the sign-in, and after the last request. */
export const SESSION_LIFETIME = 12 * 60 * MINUTE;
export const SESSION_IDLE = 60 * MINUTE;

/** The minimum time between two writes of a session that is used. */
export const SESSION_TOUCH = 1 * MINUTE;

/**
 * How long a mailed link can prove an e-mail address; and the time within which an account is sent only a few links.
 */
export const EMAIL_PROOF_LIFETIME = 1 * DAY;
export const EMAIL_PROOF_BRAKE = 60 * MINUTE;

/** How long the answer to a write of the staff API is kept, for a program that sends the write again. */
export const API_ANSWERS_KEPT = 1 * DAY;

/** How long a job of the staff API is told after its end, and can be taken back. */
export const BULK_KEPT = 30 * DAY;

/** What staff did by mistake can be taken back for this long (docs/decisions/0036). */
export const TAKE_BACK = 7 * DAY;

/** What a deed changed is kept for this long: a job is taken back until BULK_KEPT after its end. */
export const DEEDS_KEPT = BULK_KEPT + 7 * DAY;

/** The request with a claimed refresh token is sent within this time or not at all (docs/decisions/0003). */
export const CLAIM_TO_WRITE_LIMIT = 2 * SECOND;

/** Connecting to the new API, before any claim. */
export const CONNECT_TIMEOUT = 5 * SECOND;

/** One exchange with the new API, from the first byte out to the last byte in. */
export const UPSTREAM_TIMEOUT = 15 * SECOND;

/** How long an old call waits for a refresh. The shortest limit of an old client is 20 s (docs/old-api.md Q18). */
export const CALLER_WAIT = 10 * SECOND;

/** A grant that is `presenting` for longer than this belongs to a process that died. The version is in doubt. */
export const PRESENTING_LIMIT = CLAIM_TO_WRITE_LIMIT + UPSTREAM_TIMEOUT + 3 * SECOND;

/** The polling interval of a process that waits for the refresh of another process. */
export const LOOK_AGAIN = 50;

/** The share of an access token's life after which it is renewed in the background. */
export const REFRESH_AFTER_SHARE = 0.75;

/** Back-off per grant between attempts that failed without spending the refresh token. */
export const RETRY_BASE = 1 * SECOND;
export const RETRY_MAX = 15 * MINUTE;

/**
 * The longest back-off after an attempt that sent nothing, and after an answer that was lost. The breakers save the
 * work of further attempts, so that a grant recovers soon after an outage of any length (docs/decisions/0025).
 */
export const NOTHING_SENT_REST_MAX = 20 * SECOND;
export const DOUBT_REST_MAX = 1 * MINUTE;

/**
 * Lost answers stop presentations: how long until one presentation is tried again, how long at most, and how far back
 * lost answers count.
 */
export const BREAKER_PAUSE = 1 * MINUTE;
export const BREAKER_PAUSE_MAX = 5 * MINUTE;
export const BREAKER_LOOKS_BACK = 15 * MINUTE;

/** A presentation without an answer after this time counts as a lost answer, until the answer comes. */
export const SILENT_AFTER = 3 * SECOND;

/**
 * No read was answered for this time while one waits: the breaker before reads opens. After `SILENT_AFTER` three reads
 * suffice. Both stay below the five seconds that docs/guarantees.md promises.
 */
export const SILENT_ALONE_AFTER = 4 * SECOND;

/** An open breaker lets one call through after this time. */
export const BREAKER_PROBES_AFTER = 5 * SECOND;

/** While no access token can be the probe for this time, a request without a token is the probe. */
export const PROBE_WITHOUT_TOKEN_AFTER = 1 * SECOND;

/** A read that waits for its access token for this time makes the bridge ask whether the main API answers at all. */
export const TOKEN_LATE_AFTER = 0.25 * SECOND;

/** Answers that came within this time show how the server answers now. */
export const ANSWERS_SPEAK = 3 * SECOND;

/** Many deaths stop all refreshing for this long. */
export const DEATHS_STOP = 5 * MINUTE;

/**
 * No rest is longer, even if a server asks for more. A later `retry_at` or `suspect_until` was written by a wrong
 * clock.
 */
export const REST_MAX = 60 * MINUTE;

/**
 * A request that asks whether a spent budget has grown holds all others back until its answer tells, and for this long where no
 * such answer comes.
 */
export const BUDGET_ASKED_WITHIN = 1 * MINUTE;

/** A dead grant keeps its sealed pair for this long, for support (docs/decisions/0005). */
export const DEAD_GRANT_KEPT = 7 * DAY;

/** A request that never came back from the new API is useless after its end. Clocks may differ a little. */
export const UNFINISHED_REQUESTS_KEPT = 2 * MINUTE;

/** Used or expired codes and finished authorization requests are kept for this long, to record replays. */
export const SPENT_ROWS_KEPT = 1 * DAY;

/** Usage is kept for this long, so that a call that is made once a year is seen before the retirement. */
export const USAGE_KEPT = 400 * DAY;

/** The largest `expires_in` accepted from the new API; larger values are cut (docs/threats.md E97). */
export const ACCESS_TOKEN_LIFETIME_MAX = 365 * DAY;

/**
 * For this long after a token was mapped, its calls are told to come again while the old API does not answer and the
 * old ids are unknown. Before the mapping the old API alone answered these calls.
 */
export const LEARN_PATIENCE = 10 * MINUTE;

/** Time for storing the result of an exchange, in a database that answers. */
export const STORE_LIMIT = 1 * SECOND;

/**
 * The longest stop after the end of the drain: accepted calls end, then the work that the calls began, then memory is
 * written. A call is cut one second before the limit.
 */
export const STOP_LIMIT = UPSTREAM_TIMEOUT + 5 * SECOND;
export const CALLS_CUT_AFTER = STOP_LIMIT - STORE_LIMIT;

/** How long calls are shown live; how long one look lasts; and how long an app is watched after the last look. */
export const LIVE_KEPT = 10 * MINUTE;
export const LIVE_LOOK = 10 * MINUTE;
export const LIVE_WATCH = 2 * MINUTE;

/**
 * A reader of a file of which the kernel could pass on nothing for this time is left. The kernel takes more only when a third
 * of its buffer is free, so a reader of 10 kB/s shows no sign for more than a minute.
 */
export const FILE_LEFT_AFTER = 5 * MINUTE;

/**
 * Limits of one old call that writes. A post that is not claimed within the first time is not sent any more. A write
 * without an answer within the second time is in doubt for its caller. The caller may wait for only 20 seconds.
 */
export const WRITE_BEGUN_WITHIN = 9 * SECOND;
export const WRITE_ANSWERED_WITHIN = 17 * SECOND;

/**
 * A call of many moves may begin moves for longer: the earlier moves are made, and a repeated call continues behind
 * them.
 */
export const MOVE_BEGUN_WITHIN = 13 * SECOND;

/** How long a write waits for one of the few places, at either API. The write must still begin in time afterwards. */
export const WRITE_PLACE_WITHIN = 5 * SECOND;

/** From the claim of a write to its last byte out, with a refresh of the access token in between. */
export const WRITE_SENT_WITHIN = CALLER_WAIT + CLAIM_TO_WRITE_LIMIT;

/** A write without an outcome after this time belongs to a process that died. */
export const WRITE_ABANDONED = WRITE_SENT_WITHIN + UPSTREAM_TIMEOUT + 13 * SECOND;

/** The longest time from the row of a write to its post, by one clock. */
export const WRITE_MADE_WITHIN = WRITE_SENT_WITHIN + UPSTREAM_TIMEOUT;

/** When the bridge looks for the post after a lost answer; the last entry ends the search. */
export const WRITE_LOOKS = [0, 10 * SECOND, 1 * MINUTE, 10 * MINUTE] as const;

/** The bridge does not look for a write in doubt any longer than this, even when looks were prevented. */
export const WRITE_LOOKED_FOR = 24 * 60 * MINUTE;

/**
 * How far the clock of the new API may differ from ours. A post made so long before its write may belong to the write.
 */
export const WRITE_CLOCKS_DIFFER = 5 * SECOND;

/** Writes are shown to support for this long. */
export const WRITES_KEPT = 30 * DAY;

/**
 * How long the id by which an app knows an update is kept, after the update was last shown and was due; and how late a
 * new showing may be noted.
 */
export const UPDATE_IDS_KEPT = 180 * DAY;
export const UPDATE_IDS_SEEN_EVERY = 7 * DAY;
