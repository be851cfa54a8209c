import type { CallValue } from '../../../domain/new-calls/call-pair.ts';
import { type CodeLanguage, inOneLine, pathPieces } from './code-language.ts';

/** Calls as commands of a POSIX shell. */

/** Quotes any text as one word. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const lines = (...parts: string[]) => parts.join(' \\\n  ');

const bearer = (token: string) => `-H "Authorization: Bearer $${token}"`;

/** A path holds no character that has a meaning between double quotes. */
function addressOf(base: string, path: string): string {
  const pieces = pathPieces(path).map((piece, place) => (place % 2 === 0 ? piece : `$${piece}`));
  return `"${base}${pieces.join('')}"`;
}

const fieldOf = ([name, value]: readonly [string, CallValue]) =>
  typeof value === 'string'
    ? `--data-urlencode ${quoted(`${name}=${value}`)}`
    : `--data-urlencode "${name}=$${value.env}"`;

/** Environment variables stand outside the quotes. The JSON around them holds ids alone. */
function variablesOf(variables: Readonly<Record<string, CallValue>>): string {
  const entries = Object.entries(variables).map(([name, value]) =>
    typeof value === 'string'
      ? `"${name}":${JSON.stringify(value).replaceAll("'", String.raw`'\''`)}`
      : `"${name}":"'"$${value.env}"'"`,
  );
  return `,"variables":{${entries.join(',')}}`;
}

export const curl: CodeLanguage = {
  old({ method, path, form }, { oldApi }) {
    const post = method === 'POST' && !form ? ['-X POST'] : [];
    return lines(
      `curl --max-time 15 ${addressOf(oldApi, path)}`,
      ...post,
      bearer('OLD_TOKEN'),
      ...(form ?? []).map(fieldOf),
    );
  },
  graphql({ query, variables }, { newApi }) {
    const hasVariables = Object.keys(variables).length > 0;
    const body = `{"query":${JSON.stringify(inOneLine(query))}${hasVariables ? variablesOf(variables) : ''}}`;
    return lines(
      `curl --max-time 15 ${quoted(newApi)}`,
      bearer('ACCESS_TOKEN'),
      "-H 'Content-Type: application/json'",
      `-d '${body}'`,
    );
  },
  revocation: (form, { revocation }) =>
    lines(`curl --max-time 15 ${quoted(revocation)}`, ...form.map(fieldOf)),
};
