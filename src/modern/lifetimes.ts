/** All lifetimes of the modern generation, in seconds; the access token's comes from the settings. */

const DAY = 24 * 60 * 60;

export const AUTHORIZATION_CODE_SECONDS = 60;
export const INTERACTION_SECONDS = 60 * 60;
export const SESSION_SECONDS = 14 * DAY;

/**
 * How long it is known that a form was sent. A form is worth nothing without the session of its page; several lives of
 * one, because signing in to apps can prolong it while the page stays open.
 */
export const USED_FORM_SECONDS = 4 * SESSION_SECONDS;

/** The spans in which wrong passwords, and mails to a new e-mail address, are counted. */
export const PASSWORD_ATTEMPTS_SECONDS = 15 * 60;
export const EMAIL_REQUESTS_SECONDS = 60 * 60;

/** How long the link works that is sent to a new e-mail address. */
export const EMAIL_CHANGE_SECONDS = DAY;

/**
 * Numbers, not functions: with a function the provider gives the rotated token of a public web client only the rest of
 * its predecessor's life, and a grant's own 14 days are not extended by refreshing. A legacy
 * token never expires, so what it stands on must outlive any sensible retirement date.
 */
export const REFRESH_TOKEN_SECONDS = 10 * 365 * DAY;
export const GRANT_SECONDS = 10 * 365 * DAY;

/** How long the page that shows a new secret answers the second request of a double click. */
export const CREATED_PAGE_SECONDS = 10;

/** Wrong client secrets are counted for so long. */
export const WRONG_SECRETS_SECONDS = 60;

/** Between two removals of what has expired. */
export const PURGE_EVERY_SECONDS = 60 * 60;
