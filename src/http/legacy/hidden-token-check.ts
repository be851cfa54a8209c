import type { Request } from 'express';
import { hidesInParts, unfolded } from '../wire/bodies/hidden-in-parts.ts';
import { endOfText } from '../wire/bodies/end-of-text.ts';
import { parseForm } from '../wire/parse-form.ts';
import { mentionsToken, namesThatMentionToken } from '../wire/token-mentions.ts';
import { LegacyError, REFUSALS } from '../wire/legacy-error.ts';
import {
  bodyKind,
  bodyParameters,
  hasMoreInQuery,
  type Parameters,
  rawQuery,
} from '../wire/request-parameters.ts';

/**
 * Finds tokens that the old API may read and the bridge does not. A passed call must not act for one token at the
 * bridge and for another token at the old API: the other token may have ended at the bridge. The bridge rewrites
 * nothing. It refuses a call that may hold a second token.
 */

/**
 * PHP reads a dot, a space and a bracket in a name as an underscore, and cuts the characters before and after the name.
 */
const TOKEN_NAME = /^\s*access[_.[\s]token(?![\w-])/i;

const isForeign = (name: string) => name !== 'access_token' && TOKEN_NAME.test(name);

const decoded = (name: string) => parseForm(name).names[0] ?? '';

/** Whether a form or a query hides a token. Some readers separate the pairs by semicolons too. */
function hidesInForm(text: string): boolean {
  if (!mentionsToken(text)) return false;
  const names = namesThatMentionToken(text);
  if (!names) return true;
  return names.some(({ separator, name }) =>
    separator === ';' ? TOKEN_NAME.test(decoded(name)) : isForeign(decoded(name)),
  );
}

/** The start of a JSON string, or a punctuation character. */
const JSON_PART = /["{}[\]:]/g;

/** Strings and punctuation of valid JSON. */
function jsonParts(text: string): string[] {
  const parts: string[] = [];
  let end = 0;
  const nextPart = () => {
    JSON_PART.lastIndex = end;
    return JSON_PART.exec(text);
  };
  for (let part = nextPart(); part; part = nextPart()) {
    end = part[0] === '"' ? endOfText(text, part.index) : part.index + 1;
    parts.push(text.slice(part.index, end));
  }
  return parts;
}

/** The names of the outermost object, repeated names included. Readers differ in which of two equal names they use. */
function topLevelNames(text: string): string[] {
  const parts = jsonParts(text);
  let depth = 0;
  return parts.flatMap((part, index) => {
    if (part === '{' || part === '[') depth += 1;
    if (part === '}' || part === ']') depth -= 1;
    const isName = depth === 1 && part.startsWith('"') && parts[index + 1] === ':';
    return isName ? [JSON.parse(part) as string] : [];
  });
}

/**
 * Whether a body mentions a token in any spelling. A body that the bridge cannot parse, or does not parse, must not.
 */
function speaksOfToken(body: Buffer): boolean {
  const text = body.toString('latin1').replaceAll('\0', '');
  return mentionsToken(text) || mentionsToken(unfolded(text));
}

function hidesInParameters(req: Request, parameters: Parameters): boolean {
  const body = req.body as Buffer;
  // To look for a mention byte by byte takes a tenth of the time that a hostile text takes to be decoded.
  const bytes = body.toString('latin1');
  switch (bodyKind(req)) {
    case 'form':
      return mentionsToken(bytes) && hidesInForm(body.toString('utf8'));
    case 'multipart':
      return hidesInParts(
        { body: bytes, contentType: req.headers['content-type'] ?? '' },
        parameters,
        (name) => TOKEN_NAME.test(name),
      );
    case 'json':
      return (
        mentionsToken(bytes) &&
        (parameters.names().some(isForeign) ||
          topLevelNames(body.toString('utf8')).filter((name) => TOKEN_NAME.test(name)).length > 1)
      );
    case 'none':
    case 'other':
      return false;
  }
}

async function hidesInBody(req: Request): Promise<boolean> {
  const kind = bodyKind(req);
  if (kind === 'none') return false;
  const parameters = kind === 'other' ? undefined : await bodyParameters(req).catch(() => undefined);
  return parameters ? hidesInParameters(req, parameters) : speaksOfToken(req.body as Buffer);
}

/** A content type without its parameters. What has no slash is a piece of a parameter that holds a comma. */
const TYPE_NAME = /^\s*([^\s;"/]+\/[^\s;"/]+)(?=[\s;]|$)/;

/** Those in which a reader looks for parameters. Some programs send their list of accepted types, which has one of them at most. */
const WITH_PARAMETERS = ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'];

/** The names of the content types in one header. A proxy joins two headers with a comma. */
const typesIn = (header: string) =>
  header.split(',').flatMap((part) => TYPE_NAME.exec(part)?.[1]?.toLowerCase() ?? []);

/** Whether a body may be read in two ways by one header. */
function hasJoinedTypes(req: Request): boolean {
  if (bodyKind(req) === 'none') return false;
  const read = typesIn(req.headers['content-type'] ?? '').filter((type) => WITH_PARAMETERS.includes(type));
  return new Set(read).size > 1;
}

/** With two content types two readers may parse one body in two ways. */
function hasTwoTypes(req: Request): boolean {
  const names = req.rawHeaders.filter((_value, index) => index % 2 === 0);
  return names.filter((name) => name.toLowerCase() === 'content-type').length > 1 || hasJoinedTypes(req);
}

/**
 * Refuses a call in which the old API may read another token than the bridge did.
 * @throws {LegacyError} 400
 */
export async function refuseHiddenTokens(req: Request): Promise<void> {
  if (hasTwoTypes(req) || hasMoreInQuery(req) || hidesInForm(rawQuery(req)) || (await hidesInBody(req)))
    throw new LegacyError(REFUSALS.malformed);
}
