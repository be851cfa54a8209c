import type { Request } from 'express';
import type { Pairs } from '../../../domain/translation/call-fields.ts';
import { bodyKind, bodyParameters, queryParameters } from '../request-parameters.ts';

/**
 * The parameters of a call about posts, as pairs. A JSON body may nest lists and maps; they get the names that a form has
 * for them. Tokens are not looked for here (bearer-token.ts).
 */

const DEEPEST = 5;

type Values = Array<[string, string]>;

/** `media: {link: …}` is `media[link]`, `profile_ids: [a]` is `profile_ids[]`; `null` is absent, as an empty list is. */
function pairsUnder(name: string, value: unknown, depth: number): Values {
  if (value === null) return [];
  if (typeof value === 'string') return [[name, value]];
  if (typeof value !== 'object') return [[name, JSON.stringify(value)]];
  if (depth === DEEPEST) return [[`${name}[]`, '']];
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([key, inner]) => pairsUnder(`${name}[${key}]`, inner, depth + 1));
  return value.flatMap((inner: unknown, index) => {
    const isNested = typeof inner === 'object' && inner !== null;
    return pairsUnder(isNested ? `${name}[${index}]` : `${name}[]`, inner, depth + 1);
  });
}

/** The body was parsed once already to look for a token, which also bounded how much there is in it. */
function nestedPairs(body: Buffer): Values {
  const value: unknown = JSON.parse(body.toString('utf8'));
  return Object.entries(Object(value)).flatMap(([name, inner]) => pairsUnder(name, inner, 0));
}

async function bodyPairs(req: Request): Promise<Pairs> {
  const parameters = await bodyParameters(req);
  return bodyKind(req) === 'json' ? nestedPairs(req.body as Buffer) : parameters.pairs();
}

const baseOf = (name: string) => name.split('[')[0];

/**
 * The pairs of a call: those of the body, and those of the query that the body does not speak of.
 * @throws {MalformedBody}
 */
export async function callPairs(req: Request): Promise<Pairs> {
  const body = await bodyPairs(req);
  const named = new Set(body.map(([name]) => baseOf(name)));
  return [
    ...body,
    ...queryParameters(req)
      .pairs()
      .filter(([name]) => !named.has(baseOf(name))),
  ];
}
