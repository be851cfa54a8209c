// What both peers do beside their server: the token as an old integration sends it, one prepared look-up by its digest, and
// a body as long as the bridge's.
import { readFileSync } from 'node:fs';
import { Sqlite } from '../../../dist/shared/sqlite.js';
import { digestOf } from './digest.mjs';

const [, , databaseFile, bodyFile] = process.argv;

/** The answer of the bridge to the first token, taken before the rounds. */
export const body = readFileSync(bodyFile, 'utf8');
export const answer = JSON.parse(body);

const database = new Sqlite(databaseFile);
database.pragma('journal_mode = WAL');
const lookUp = database.prepare('select id, state from tokens where digest = ?');

/** Whether the token is known and live. */
export function isKnown(token) {
  return token !== undefined && lookUp.get(digestOf(token))?.state === 'active';
}

/** The token in the header, or in the query. */
export function tokenInHead(authorization, url) {
  if (authorization?.startsWith('Bearer ')) return authorization.slice(7);
  const query = url.indexOf('?');
  return query < 0 ? undefined : (new URLSearchParams(url.slice(query)).get('access_token') ?? undefined);
}
