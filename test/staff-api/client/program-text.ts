/** Writes the program that a reader of the OpenAPI document would write: one call of the generated client for each operation. */

interface Parameter {
  name: string;
  in: string;
  schema: { type?: string };
}

interface DocumentedOperation {
  operationId: string;
  security: ReadonlyArray<Record<string, unknown>>;
  parameters?: readonly Parameter[];
  requestBody?: object;
}

export type DocumentedPaths = Record<string, Record<string, DocumentedOperation>>;

/** An operation and where it is. */
export interface DocumentedCall extends DocumentedOperation {
  path: string;
}

/** What an operation is called with: the values of its parameters, and its body. */
export interface CallValues {
  parameters: Record<string, string | number>;
  body?: object | undefined;
  /** The value of the header Authorization. */
  authorization?: string | undefined;
}

/** Every operation of the document. */
export const callsOf = (paths: DocumentedPaths): DocumentedCall[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ ...operation, path })),
  );

/** A name as the generator writes it: `move_update_post`, `Idempotency-Key`. */
export const nameInClient = (name: string) =>
  name
    .replace(/^[A-Z]/, (first) => first.toLowerCase())
    .replaceAll(/[-_](\w)/g, (_match, next: string) => next.toUpperCase());

function argumentOf({ parameters = [], requestBody }: DocumentedCall, values: CallValues): string[] {
  if (parameters.length === 0 && !requestBody) return [];
  const given = Object.entries(values.parameters).map(([name, value]) => [nameInClient(name), value]);
  return [JSON.stringify({ ...Object.fromEntries(given), ...(values.body && { body: values.body }) })];
}

/** The second argument: the headers of the request. A person's browser follows redirects, this program does not. */
const optionsOf = ({ authorization }: CallValues) =>
  JSON.stringify({ redirect: 'manual', ...(authorization !== undefined && { headers: { authorization } }) });

function lineOf(call: DocumentedCall, values: CallValues): string {
  const name = nameInClient(call.operationId);
  const args = [...argumentOf(call, values), optionsOf(values)].join(', ');
  return `await told('${call.operationId}', client.${name}(${args}));`;
}

/** A program that calls each operation and prints what it was answered. */
export const programOf = (calls: ReadonlyArray<[DocumentedCall, CallValues]>): string =>
  [
    `import * as client from './client.ts';`,
    `const answers: Record<string, { status: number; data?: unknown }> = {};`,
    `async function told<A extends { status: number; data?: unknown }>(name: string, answer: Promise<A>) {`,
    `  answers[name] = await answer;`,
    `}`,
    ...calls.map(([call, values]) => lineOf(call, values)),
    `process.stdout.write(JSON.stringify(answers));`,
    '',
  ].join('\n');
