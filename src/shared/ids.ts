import { randomBytes } from 'node:crypto';

/**
 * The id of an account or a profile, of the old or the new API. The bridge does not make these ids: most have 24 hex
 * digits, but an import takes every form that can stand in an address.
 */
export const OUTSIDE_ID = /^[\w-]{1,64}$/;

/** The id of an app, and every id that the bridge makes: of a token, a connection, a job, a request. */
export const HEX_ID = /^[0-9a-f]{24}$/;

/** Whether a text has the form of an account id or a profile id. */
export function isOutsideId(text: string): boolean {
  return OUTSIDE_ID.test(text);
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Random letters and digits without modulo bias. */
function alphanumeric(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHANUMERIC[byte % 62];
    }
  }
  return text;
}

/**
 * An authorization code of the old API: `1/` and 32 letters or digits (190 bits). No character after the slash needs
 * URL encoding, because old clients paste the value into query strings and some decode the value twice (docs/old-api.md
 * Q2).
 */
export function newLegacyCode(): string {
  return `1/${alphanumeric(32)}`;
}

/** A token of the old API: `1/` and 32 lowercase hex digits, as the old API made its tokens. */
export function newLegacyToken(): string {
  return `1/${randomBytes(16).toString('hex')}`;
}

const ID_BYTES = 12;

/** Random bytes for many ids. Each request gets an id, and asking the machine for bytes costs more than the rest of it. */
let supply = Buffer.alloc(0);

/** The id of an app, of account-like rows and of requests: 24 hex digits, as the old API made its ids. */
export function newHexId(): string {
  if (supply.length < ID_BYTES) supply = randomBytes(ID_BYTES * 256);
  const id = supply.toString('hex', 0, ID_BYTES);
  supply = supply.subarray(ID_BYTES);
  return id;
}

const ownPart = randomBytes(5).toString('hex');
let made = randomBytes(3).readUIntBE(0, 3);

/**
 * Like `newHexId`, but rising with time, as the old API made its ids: time, process, counter. For rows that are
 * written by the thousand and whose id is no secret. Random ids would be written all over their index; rising ids are
 * written at its end. `now` in Unix milliseconds.
 */
export function newOrderedId(now: number): string {
  made = (made + 1) % 2 ** 24;
  const time = Math.floor(now / 1000);
  return `${time.toString(16).padStart(8, '0')}${ownPart}${made.toString(16).padStart(6, '0')}`;
}

/** An unguessable opaque value of 256 bits: browser cookies, upstream `state`, app secrets. */
export function newOpaqueValue(): string {
  return randomBytes(32).toString('base64url');
}

/** Eight shown characters would reveal too much of a shorter token. */
const HINTED_LENGTH = 18;

/** The hint of a token that another service made. Undefined for a short token, which its hint would reveal. */
export function hintOfAny(token: string): { first: string; last: string } | undefined {
  return token.length < HINTED_LENGTH ? undefined : tokenHint(token);
}

/** The first and last four characters after `1/`: enough for support to recognise a token, too few to use the token. */
export function tokenHint(token: string): { first: string; last: string } {
  const body = token.startsWith('1/') ? token.slice(2) : token;
  return { first: body.slice(0, 4), last: body.slice(-4) };
}
