import type { CallPair, CallValue, Fields, GraphqlStep } from '../../../domain/new-calls/call-pair.ts';

/** What a language has to write down for a call. */

/** Where the calls go. */
export interface Addresses {
  oldApi: string;
  newApi: string;
  revocation: string;
}

/** An old call with its address, in which `{NAME}` is for the reader to set. */
export interface OldCode extends Pick<CallPair['old'], 'form'> {
  method: 'GET' | 'POST';
  path: string;
}

export interface CodeLanguage {
  /** What a program has once, before its calls; a language of commands needs nothing. */
  setUp?(addresses: Addresses): string;
  old(call: OldCode, addresses: Addresses): string;
  graphql(step: GraphqlStep, addresses: Addresses): string;
  revocation(form: Fields, addresses: Addresses): string;
}

/** A path in pieces: texts at even places, names at odd ones. */
export function piecesOf(path: string): string[] {
  return path.split(/\{(\w+)\}/);
}

/** Fields by their names, in the order in which each came first. */
export function byName(fields: Fields): Map<string, CallValue[]> {
  const groups = new Map<string, CallValue[]>();
  for (const [name, value] of fields) groups.set(name, [...(groups.get(name) ?? []), value]);
  return groups;
}

/** A query in one line. */
export function inOneLine(query: string): string {
  return query.replaceAll(/\s*\n\s*/g, ' ');
}

/** Every line but the first moved to the right. */
export function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}
