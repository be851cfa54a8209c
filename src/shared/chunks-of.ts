/** The items in their order, in parts of `size`. The last part holds the rest; without items there is no part. */
export function* chunksOf<Item>(items: readonly Item[], size: number): Generator<Item[], void> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
