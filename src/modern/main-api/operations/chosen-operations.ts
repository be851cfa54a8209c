import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { RequestParams } from 'graphql-http';
import { LRUCache } from 'lru-cache';

export interface Chosen {
  document: DocumentNode;
  operation: OperationDefinitionNode;
}

/** In characters of what is asked; parsed, one takes some seventy bytes of memory. */
const MAX_ALL = 200_000;
const MAX_ONE = 10_000;

/** What of the variables bears on the limits: a page size is a number, and one that is null is the default's. */
function sizesIn(variables: RequestParams['variables']): [string, number | null][] {
  return Object.entries(variables ?? {}).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : null,
  ]);
}

const keyOf = ({ query, operationName, variables }: RequestParams) =>
  JSON.stringify([query, operationName ?? null, sizesIn(variables)]);

/**
 * Operations that stood every check that does not ask who calls. A program sends few different ones again and again, and
 * to parse, validate and price the bridge's own read takes longer than to answer it.
 */
export function createChosenOperations() {
  const chosen = new LRUCache<string, Chosen>({
    maxSize: MAX_ALL,
    maxEntrySize: MAX_ONE,
    sizeCalculation: (_chosen, key) => key.length,
  });
  return {
    /** The one that is known, else what `choose` answers; refusals are not kept. */
    find<Refusal extends { refusal: unknown }>(request: RequestParams, choose: () => Chosen | Refusal) {
      const key = keyOf(request);
      const known = chosen.get(key);
      if (known) return known;
      const found = choose();
      if (!('refusal' in found)) chosen.set(key, found);
      return found;
    },
  };
}

export type ChosenOperations = ReturnType<typeof createChosenOperations>;
