import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { RequestParams } from 'graphql-http';
import { LRUCache } from 'lru-cache';

export interface ChosenOperation {
  document: DocumentNode;
  operation: OperationDefinitionNode;
}

/** In characters of the cache keys. One character takes about seventy bytes of memory when the query is parsed. */
const MAX_ALL = 200_000;
const MAX_ONE = 10_000;

/** The variables that matter for the limits. A page size is a number; null stands for the default page size. */
function sizesIn(variables: RequestParams['variables']): [string, number | null][] {
  return Object.entries(variables ?? {}).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : null,
  ]);
}

const keyOf = ({ query, operationName, variables }: RequestParams) =>
  JSON.stringify([query, operationName ?? null, sizesIn(variables)]);

/**
 * Caches the operations that passed every check that is independent of the caller. A program sends the same few
 * operations again and again. Parsing, validating and pricing the bridge's own read takes longer than the answer.
 */
export function createChosenOperations() {
  const chosen = new LRUCache<string, ChosenOperation>({
    maxSize: MAX_ALL,
    maxEntrySize: MAX_ONE,
    sizeCalculation: (_chosen, key) => key.length,
  });
  return {
    /** The cached operation, or the result of `choose`. Refusals are not cached. */
    find<Refusal extends { refusal: unknown }>(
      request: RequestParams,
      choose: () => ChosenOperation | Refusal,
    ) {
      const key = keyOf(request);
      const known = chosen.get(key);
      if (known) return known;
      const found = choose();
      if (!('refusal' in found)) chosen.set(key, found);
      return found;
    },
  };
}

export type OperationCache = ReturnType<typeof createChosenOperations>;
