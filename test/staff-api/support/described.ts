import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../../src/http/staff-api/openapi/document.ts';
import type { RawAnswer } from '../../support/callers/raw-request.ts';

/** Holds answers against the OpenAPI document. */

interface Described {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, DescribedAnswer> }>>;
  components: { schemas: Record<string, object> };
}

interface DescribedAnswer {
  content?: Record<string, { schema: { $ref?: string } }>;
}

/** The document, as this source makes it. */
const documented = openApiDocument('http://127.0.0.1') as unknown as Described;

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (one: Ajv2020) => void)(ajv);
ajv.addSchema({ $id: 'document', components: documented.components });

const compiled = new Map<string, ValidateFunction>();

function validatorOf(reference: string): ValidateFunction {
  const known = compiled.get(reference);
  if (known) return known;
  const made = ajv.compile({ $ref: `document${reference}` });
  compiled.set(reference, made);
  return made;
}

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '[^/?]+')}$`);

const patterns = Object.keys(documented.paths).map((path) => ({ path, pattern: patternOf(path) }));

function expectBody(reference: string, { json, text }: RawAnswer): void {
  const validate = validatorOf(reference);
  const isValid = validate(json);
  expect({ text: isValid ? '' : text, errors: validate.errors ?? [] }).toEqual({ text: '', errors: [] });
}

const isPath =
  (address: string) =>
  ({ pattern }: { pattern: RegExp }) =>
    pattern.test(address.split('?')[0] ?? '');

function operationAt(method: string, address: string) {
  const exact = documented.paths[address];
  const found = exact ?? documented.paths[patterns.find(isPath(address))?.path ?? ''];
  return found?.[method.toLowerCase()];
}

const typeOf = ({ headers }: RawAnswer) => String(headers['content-type']).split(';')[0] ?? '';

/** Fails where an answer is not as the document says: its status, its content type or its body. */
export function expectDescribed([method, path]: readonly [string, string], answer: RawAnswer): void {
  const one = operationAt(method, `/api/v1${path.split('?')[0]}`);
  if (!one) return;
  const seen = { operation: one.operationId, status: answer.status, type: typeOf(answer) };
  const reference = one.responses[String(answer.status)]?.content?.[seen.type]?.schema.$ref;
  expect({ ...seen, isDescribed: reference !== undefined }).toEqual({ ...seen, isDescribed: true });
  expectBody(reference ?? '', answer);
}
