import type { Request } from 'express';
import { mentionsToken, namesThatMentionToken } from '../wire/token-mentions.ts';
import { LegacyError, REFUSALS } from '../wire/legacy-error.ts';
import { bodyKind, bodyParameters, type Parameters, rawQuery } from '../wire/request-parameters.ts';

/**
 * Where the old backend may read a token that the bridge does not: a call that is passed must not be one token's here and
 * another's there, which may have ended here. Nothing is rewritten; a call that may hold a second one is refused.
 */

/** PHP takes a dot, a space and a bracket in a name for an underscore, and cuts what comes before and behind. */
const TOKEN_NAME = /^\s*access[_.[\s]token(?![\w-])/i;

const isForeign = (name: string) => name !== 'access_token' && TOKEN_NAME.test(name);

const decoded = (name: string) => [...new URLSearchParams(name).keys()][0] ?? '';

/** A form, or a query; some separate its pairs by semicolons too. */
function hidesInForm(text: string): boolean {
  if (!mentionsToken(text)) return false;
  const names = namesThatMentionToken(text);
  if (!names) return true;
  return names.some(({ separator, name }) =>
    separator === ';' ? TOKEN_NAME.test(decoded(name)) : isForeign(decoded(name)),
  );
}

/** Where a string of JSON begins, and its punctuation. */
const JSON_PART = /["{}[\]:]/g;

/**
 * Behind the string of JSON that begins at a place. No pattern: one that has a choice at each character remembers each, and
 * a long string leaves it without memory.
 */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Strings and punctuation of JSON that is known to be whole. */
function jsonParts(text: string): string[] {
  const parts: string[] = [];
  let end = 0;
  const nextPart = () => {
    JSON_PART.lastIndex = end;
    return JSON_PART.exec(text);
  };
  for (let part = nextPart(); part; part = nextPart()) {
    end = part[0] === '"' ? endOfString(text, part.index) : part.index + 1;
    parts.push(text.slice(part.index, end));
  }
  return parts;
}

/** The names of the outermost object, each as often as it stands there; readers differ in which of them they take. */
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

/** A part of it may be a file here and a field there. */
function partsWithToken(text: string): number {
  return text.match(/^content-disposition:[^\r\n]*access[_.[ ]token/gim)?.length ?? 0;
}

/** What cannot be read, or is not to be, does not speak of a token in any spelling. */
function speaksOfToken(body: Buffer): boolean {
  return mentionsToken(body.toString('latin1').replaceAll('\0', ''));
}

function hidesInParameters(req: Request, parameters: Parameters): boolean {
  const text = (req.body as Buffer).toString('utf8');
  switch (bodyKind(req)) {
    case 'form':
      return hidesInForm(text);
    case 'multipart':
      return partsWithToken(text) !== parameters.all('access_token').length;
    case 'json':
      return (
        mentionsToken(text) &&
        (parameters.names().some(isForeign) ||
          topLevelNames(text).filter((name) => TOKEN_NAME.test(name)).length > 1)
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

/** Two content types are two readings of one body. */
function hasTwoTypes({ rawHeaders }: Request): boolean {
  const types = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return types.length > 1;
}

/**
 * Refuses a call that the old backend may read another token in than the bridge did.
 * @throws {LegacyError} 400
 */
export async function refuseHiddenTokens(req: Request): Promise<void> {
  if (hasTwoTypes(req) || hidesInForm(rawQuery(req)) || (await hidesInBody(req)))
    throw new LegacyError(REFUSALS.malformed);
}
