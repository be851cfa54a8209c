import { formsOf, formsOfBytes, SHORTEST } from './forms.ts';

/** Looks for every form of every secret in any amount of text in one pass. */

/** A place where a secret could stand. */
export interface Place {
  where: string;
  text: string;
  /** The kinds of which it may hold one value, its own. */
  may?: readonly string[];
  /** The kinds that are its maker's own, any number. */
  owns?: readonly string[];
}

export interface Canary {
  kind: string;
  value: string;
}

export interface Finding {
  kind: string;
  form: string;
  where: string;
  value: string;
}

interface Needle extends Canary {
  form: string;
  text: string;
}

/** The needles by their first characters. */
export type Needles = ReadonlyMap<string, readonly Needle[]>;

function needlesOf(canary: Canary): Needle[] {
  const bytes = canary.kind === 'key' ? formsOfBytes(Buffer.from(canary.value, 'base64url')) : [];
  return [...formsOf(canary.value), ...bytes].map(({ name, text }) => ({ ...canary, form: name, text }));
}

export function sharpen(canaries: readonly Canary[]): Needles {
  const needles = new Map<string, Needle[]>();
  for (const needle of canaries.flatMap(needlesOf)) {
    if (needle.text.length < SHORTEST) throw new Error(`a ${needle.kind} is too short to be looked for`);
    const start = needle.text.slice(0, SHORTEST);
    needles.set(start, [...(needles.get(start) ?? []), needle]);
  }
  return needles;
}

function findAll(needles: Needles, { where, text }: Place): Finding[] {
  const found: Finding[] = [];
  for (let at = 0; at + SHORTEST <= text.length; at += 1) {
    const begun = needles.get(text.slice(at, at + SHORTEST)) ?? [];
    for (const { kind, value, form, text: whole } of begun)
      if (text.startsWith(whole, at)) found.push({ kind, form, where, value });
  }
  return found;
}

/** What stands in a place and may not: a kind that it may hold is its own only when it is one value alone. */
export function search(needles: Needles, place: Place): Finding[] {
  const found = findAll(needles, place);
  const own = (place.may ?? []).filter(
    (kind) => new Set(found.filter((one) => one.kind === kind).map(({ value }) => value)).size === 1,
  );
  return found.filter(({ kind }) => ![...own, ...(place.owns ?? [])].includes(kind));
}

/** Findings in words, without the value: a failed test must not print it either. */
export function inWords(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ kind, form, where }) => `${kind}, ${form}, in ${where}`))];
}
