import type { Parameters } from '../request-parameters.ts';
import { countMentions } from '../token-mentions.ts';

/**
 * Finds tokens in the parts of a body that the old API may read and the bridge does not. Readers differ in where a head ends,
 * which of its lines go together, which part is a file, which charset a value has, and which of two boundaries counts. So the
 * bytes are judged as they were sent, and not what one parser made of them.
 */

/** PHP joins a line of a head that has no colon, or begins with a space, to the line before. */
export const unfolded = (text: string) => text.replaceAll(/[\r\n]+/g, '');

const BOUNDARY = /boundary=(?:"([^"]*)"|([^;\s]*))/gi;

interface SplitBody {
  /** Everything but the contents: heads, and what stands before and behind all parts. */
  heads: string[];
  contents: string[];
}

/** A body whose boundary is in doubt is all head. */
function splitBody(body: string, contentType: string): SplitBody {
  const [named, second] = contentType.matchAll(BOUNDARY);
  const boundary = named?.[1] ?? named?.[2] ?? '';
  if (boundary === '' || second !== undefined) return { heads: [body], contents: [] };
  const [before = '', ...pieces] = `\r\n${body}`.split(`\r\n--${boundary}`);
  const parts = pieces.map((piece) => {
    const end = piece.indexOf('\r\n\r\n');
    return end < 0 ? { head: piece, content: '' } : { head: piece.slice(0, end), content: piece.slice(end) };
  });
  return { heads: [before, ...parts.map(({ head }) => head)], contents: parts.map(({ content }) => content) };
}

const DISPOSITION = /^content-disposition\s*:/i;

const goesOn = (line: string) => line !== '' && (/^\s/.test(line) || !line.includes(':'));

/** Whether whoever splits the body elsewhere finds a head in a content that names a token. */
function hidesInContent(content: string): boolean {
  if (!/content-disposition/i.test(content) || countMentions(unfolded(content)) === 0) return false;
  let field = '';
  for (const line of `${content}\n\n`.split(/\r?\n/)) {
    if (field !== '' && goesOn(line)) field += line;
    else {
      if (countMentions(field) > 0) return true;
      field = DISPOSITION.test(line) ? line : '';
    }
  }
  return false;
}

/** A name in a charset of its own (RFC 5987), which shows no mention in the bytes. */
const EXTENDED_NAME = /(?:^|[;\s])name\*/i;

/**
 * Whether a body with parts may hold a token that the bridge did not read. A body may mention a token in a content, and as the
 * name of a field that the bridge read. `isTokenName` tells a name that some reader takes for that of a token.
 */
export function hidesInParts(
  { body, contentType }: { body: string; contentType: string },
  parameters: Parameters,
  isTokenName: (name: string) => boolean,
): boolean {
  if (countMentions(unfolded(body)) === 0) return false;
  if (parameters.files.some(isTokenName)) return true;
  const { heads, contents } = splitBody(body, contentType);
  const inHeads = heads.reduce((sum, head) => sum + countMentions(unfolded(head)), 0);
  return (
    inHeads !== parameters.all('access_token').length ||
    heads.some((head) => EXTENDED_NAME.test(head)) ||
    contents.some(hidesInContent)
  );
}
