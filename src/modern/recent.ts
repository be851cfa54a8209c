/**
 * Keeps one value for each of the `limit` most recently requested names. The least recently requested name is dropped
 * first.
 */
export function createRecent<T>(limit: number, make: () => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const value = known.get(name) ?? make();
    known.delete(name);
    known.set(name, value);
    const [longestAgo] = known.keys();
    if (known.size > limit && longestAgo !== undefined) known.delete(longestAgo);
    return value;
  };
}
