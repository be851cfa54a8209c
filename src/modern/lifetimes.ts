/** All lifetimes of the embedded new API, in seconds. The lifetime of the access token comes from the settings. */

const DAY = 24 * 60 * 60;

export const AUTHORIZATION_CODE_SECONDS = 60;
export const INTERACTION_SECONDS = 60 * 60;
export const SESSION_SECONDS = 14 * DAY;

/**
 * How long the store remembers a sent form. A form is useless without the session of its page. The time is four session
 * lifetimes, because signing in to apps can prolong the session while the page stays open.
 */
export const USED_FORM_SECONDS = 4 * SESSION_SECONDS;

/** The time spans over which wrong passwords and mails to a new e-mail address are counted. */
export const PASSWORD_ATTEMPTS_SECONDS = 15 * 60;
export const EMAIL_REQUESTS_SECONDS = 60 * 60;

/** Lifetime of the link that is sent to a new e-mail address. */
export const EMAIL_CHANGE_SECONDS = DAY;

/**
 * Numbers, not functions. With a function the provider gives the rotated token of a public web client only the
 * remaining life of the old token. The default life of a grant is 14 days, and refreshing does not extend a grant. A
 * legacy token never expires: the grant and the refresh token behind a legacy token must outlive any sensible
 * retirement date.
 */
export const REFRESH_TOKEN_SECONDS = 10 * 365 * DAY;
export const GRANT_SECONDS = 10 * 365 * DAY;

/** How long the page that shows a new secret answers the second request of a double click. */
export const CREATED_PAGE_SECONDS = 10;

/** The time span over which wrong client secrets are counted. */
export const WRONG_SECRETS_SECONDS = 60;

/** The time span over which authorization requests are counted. */
export const AUTHORIZATION_REQUESTS_SECONDS = 60;

/** Time between two removals of expired rows. */
export const PURGE_EVERY_SECONDS = 60 * 60;
