import type { CallPair, CallValue, CallFields, GraphqlStep } from '../../../domain/new-calls/call-pair.ts';

/** How a language writes a call. */

/** The addresses of the calls. */
export interface Addresses {
  oldApi: string;
  newApi: string;
  revocation: string;
}

/** An old call with its path. The reader replaces each `{NAME}` in the path. */
export interface OldCode extends Pick<CallPair['old'], 'form'> {
  method: 'GET' | 'POST';
  path: string;
}

export interface CodeLanguage {
  /** The code that a program needs once, before its calls. A command language needs none. */
  setUp?(addresses: Addresses): string;
  old(call: OldCode, addresses: Addresses): string;
  graphql(step: GraphqlStep, addresses: Addresses): string;
  revocation(form: CallFields, addresses: Addresses): string;
}

/** A path in pieces: texts at even indexes, names at odd indexes. */
export function pathPieces(path: string): string[] {
  return path.split(/\{(\w+)\}/);
}

/** Fields by their names, in the order of the first field of each name. */
export function byName(fields: CallFields): Map<string, CallValue[]> {
  const groups = new Map<string, CallValue[]>();
  for (const [name, value] of fields) groups.set(name, [...(groups.get(name) ?? []), value]);
  return groups;
}

/** A query in one line. */
export function inOneLine(query: string): string {
  return query.replaceAll(/\s*\n\s*/g, ' ');
}

/** Indents every line but the first. */
export function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}
