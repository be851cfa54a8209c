/** The rows of each key, in their order; the keys in the order of their first rows. (`Map.groupBy` needs Node 21.) */
export function groupBy<Key, Row>(rows: Iterable<Row>, keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
