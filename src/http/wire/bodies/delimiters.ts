import { BODY_LIMIT } from '../body-limits.ts';
import { hasMoreBytes } from '../separators.ts';

/** What a multipart body tells before it is parsed: where it ends, and whether it is too dear to parse. */

/** The most parts of a body. */
export const PARTS_MAX = 100;

/** The most parts of a body that everybody may send and that only the parser can read. */
export const UNUSUAL_PARTS_MAX = 50;

/** The lines of all parts together. A part has at most four lines with a meaning, and a post adds a few lines. */
const MULTIPART_LINE_LIMIT = 1200;

/**
 * Whether the body has more lines than any call. Only a known caller may send a large body. A large body may hold
 * files, and many bytes of a file are line ends. There the number of parts and the longest header of the parser limit
 * the work.
 */
export function hasTooManyLines(body: Buffer): boolean {
  return body.length <= BODY_LIMIT && hasMoreBytes(body, '\n', MULTIPART_LINE_LIMIT);
}

/** A content type as programs write it, with its boundary. */
const WHOLE_TYPE =
  /^multipart\/form-data(?:; ?(?!boundary)[a-z]+=[\w.-]+)*; ?boundary=("?)([\w'()+,./:=?-]{1,70})\1(?:; ?[a-z]+=[\w.-]+)*$/i;

/** What stands before each part but the first: exactly, or for an unusual content type at least. */
function delimiterOf(contentType: string): string {
  const [, , boundary = ''] = WHOLE_TYPE.exec(contentType) ?? [];
  return `\r\n--${boundary}`;
}

/** A boundary with other characters has to stand in quotes, or the parser refuses the content type. */
const BARE_BOUNDARY = /^[\w'+.-]+$/;

/** What stands before each part but the first; undefined for an unusual content type, and for one that nobody may send. */
export function usualDelimiterOf(contentType: string): string | undefined {
  const [, quote, boundary = ''] = WHOLE_TYPE.exec(contentType) ?? [];
  const isAllowed = quote === '"' || BARE_BOUNDARY.test(boundary);
  return isAllowed ? delimiterOf(contentType) : undefined;
}

/**
 * A body up to its end: what stands behind its last delimiter is no part (RFC 2046 §5.1.1). The parser alone would read
 * on there, to the end of the piece that it has.
 */
export function untilEnd(body: Buffer, contentType: string): Buffer {
  if (!WHOLE_TYPE.test(contentType)) return body;
  const last = `${delimiterOf(contentType)}--`;
  const at = body.indexOf(last);
  return at < 0 ? body : body.subarray(0, at + last.length);
}

/** Whether a body of a size that everybody may send has too many parts. */
export function hasTooManyParts(body: Buffer, contentType: string): boolean {
  if (body.length > BODY_LIMIT) return false;
  const delimiter = Buffer.from(delimiterOf(contentType));
  // The first delimiter needs no line end before it. Of an unusual type only a part of the delimiter is known.
  const first = delimiter.subarray(2);
  let found = WHOLE_TYPE.test(contentType) && body.subarray(0, first.length).equals(first) ? 1 : 0;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    found += 1;
    // One delimiter stands before each part, and one behind the last.
    if (found > PARTS_MAX + 1) return true;
  }
  return false;
}
