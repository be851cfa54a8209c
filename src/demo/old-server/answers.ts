import type { Response } from 'express';

/** The answers of the old API, in the bytes that were recorded (docs/old-api.md). */

/** PHP's `json_encode` puts a backslash before every slash. */
const phpJson = (value: unknown): string => JSON.stringify(value).replaceAll('/', String.raw`\/`);

/** Sends an answer as the old API wrote it. `send` of Express would write the charset in another way. */
export function sendOldAnswer(res: Response, status: number, value: unknown): void {
  res.status(status).set('Content-Type', 'application/json;charset=UTF-8').end(phpJson(value));
}

/** A path of plain identifiers. Any other text would be a script of the caller. */
const CALLBACK = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

/** Sends an answer that every web page may read, by `fetch` or as a script (JSONP) that calls `callback`. */
export function sendToPages(res: Response, value: unknown, callback: unknown): void {
  res.set('Access-Control-Allow-Origin', '*');
  if (typeof callback !== 'string' || !CALLBACK.test(callback)) return sendOldAnswer(res, 200, value);
  res.set('Content-Type', 'application/javascript;charset=UTF-8').end(`/**/${callback}(${phpJson(value)});`);
}

/** Sends a refusal: its words and its number. */
export function sendOldRefusal(
  res: Response,
  status: number,
  [code, error]: readonly [number, string],
): void {
  sendOldAnswer(res, status, { error, code });
}

export const INVALID_TOKEN = [401, 'The provided access token is invalid'] as const;
export const UNKNOWN_ADDRESS = [404, 'The endpoint you requested was not found.'] as const;
export const UNKNOWN_PROFILE = [1010, 'Profile could not be found.'] as const;
export const UNKNOWN_UPDATE = [1020, 'Update could not be found.'] as const;

const CHALLENGE =
  "OAuth realm='Service', error='invalid_request', error_description='The request is missing a required parameter.'";

/** Sends the refusal of a call without a token, which has no body. */
export function challenge(res: Response): void {
  res.status(401).set({ 'Content-Type': 'text/html; charset=UTF-8', 'WWW-Authenticate': CHALLENGE }).end();
}
