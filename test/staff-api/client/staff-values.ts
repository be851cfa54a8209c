import type { ApiGround } from '../support/ground.ts';
import { GOOD_REQUESTS } from '../support/requests.ts';
import type { CallValues, DocumentedCall } from './program-text.ts';

/** The values for an operation of the staff API, from the good request that the role table sends. */

/** The parts of an address where its pattern has names in braces. */
function pathValues(pattern: string, path: string): Record<string, string> {
  const [names, parts] = [pattern.split('/'), path.split('/')];
  return Object.fromEntries(
    names.flatMap((name, place) =>
      name.startsWith('{') ? [[name.slice(1, -1), decodeURIComponent(parts[place] ?? '')]] : [],
    ),
  );
}

function queryValues({ parameters = [] }: DocumentedCall, query: string): CallValues['parameters'] {
  const isNumber = (name: string) =>
    parameters.some((one) => one.name === name && one.schema.type === 'integer');
  return Object.fromEntries(
    [...new URLSearchParams(query)].map(([name, value]) => [name, isNumber(name) ? Number(value) : value]),
  );
}

/** @throws {Error} where no good request is known, as for a new operation */
export async function staffValues(
  ground: ApiGround,
  call: DocumentedCall,
  authorization: string,
): Promise<CallValues> {
  const good = GOOD_REQUESTS[call.operationId];
  if (!good) throw new Error(`no good request is known for ${call.operationId}`);
  const { path, body } = await good(ground);
  const [address = '', query = ''] = path.split('?');
  const isWrite = call.parameters?.some(({ name }) => name === 'Idempotency-Key') === true;
  const parameters = {
    ...pathValues(call.path, `/api/v1${address}`),
    ...queryValues(call, query),
    ...(isWrite && { 'Idempotency-Key': `client-${call.operationId}` }),
  };
  return { parameters, body, authorization };
}
