import type { Chance } from '../../verification/shared/faults/chance.ts';
import { json, multipart, rawForm } from '../../support/callers/raw-request.ts';

/** The fields of an old call as programs send them: in the query, or in a body of one of three kinds. */

export type Pair = readonly [name: string, value: string];

/** `a[b]` and `a[]` as a program builds them that sends JSON. */
function nested(pairs: readonly Pair[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, value] of pairs) {
    const [, base = name, key] = /^([^[]+)\[([^\]]*)\]$/.exec(name) ?? [];
    const before = object[base];
    if (key === undefined) object[base] = value;
    else if (key === '' || /^\d+$/.test(key))
      object[base] = [...(Array.isArray(before) ? before : []), value];
    else object[base] = { ...(before as object), [key]: value };
  }
  return object;
}

const encoded = (pairs: readonly Pair[]) =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();

/** Brackets and slashes as they are, which many programs send. */
const asTyped = (pairs: readonly Pair[]) =>
  encoded(pairs).replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%2F', '/');

const BROKEN = ['{', '%zz', '--x\r\n', '\u0000', '[]', 'null', '"text"'];

/** How the fields travel. */
export function carried(chance: Chance, fields: readonly Pair[], isPost: boolean) {
  const way = chance.pick(
    isPost ? ['form', 'form', 'typed', 'json', 'multipart', 'query'] : ['query', 'typed-query'],
  );
  if (way === 'query' || way === 'typed-query')
    return { query: way === 'query' ? encoded(fields) : asTyped(fields) };
  if (chance.happens(0.02)) return { ...rawForm(''), body: chance.pick(BROKEN), query: '' };
  if (way === 'json') return { ...json(nested(fields)), query: '' };
  if (way === 'multipart') return { ...multipart(Object.fromEntries(fields)), query: '' };
  return { ...rawForm(way === 'form' ? encoded(fields) : `${asTyped(fields)}&`), query: '' };
}
