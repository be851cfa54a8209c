/**
 * The index after the text of a JSON document that begins at `start`. This is no regular expression: an expression with a
 * choice at each character remembers each choice, and runs out of memory on a long text.
 */
export function endOfText(document: string, start: number): number {
  let at = start + 1;
  while (at < document.length && document[at] !== '"') at += document[at] === '\\' ? 2 : 1;
  return at + 1;
}
