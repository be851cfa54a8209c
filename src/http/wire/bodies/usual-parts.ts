import { isAscii } from 'node:buffer';
import { PARTS_MAX, usualDelimiterOf } from './delimiters.ts';

/**
 * Multipart bodies as programs write them. They are read here, because the parser for all other bodies takes more than
 * three times as long, and the token in a body must be read before anybody knows who calls. What is not exactly of this
 * form is left to the parser. With the same limit of parts the parser finds what is found here
 * (test/clients/usual-multipart.test.ts).
 */

/** What a multipart body holds. */
export interface MultipartParts {
  /** The names and values of the fields, in their order. */
  pairs: Array<[string, string]>;
  /** The names of the files. */
  files: string[];
}

/** The parser cuts a longer value. */
export const VALUE_MAX = 64 * 1024;

/** Of all headers of a part. So short, they are never more lines than the parser reads. */
const HEADERS_MAX = 800;

/** A name without escapes, in quotes or as a bare token; also of a file. */
const DISPOSITION =
  /^[Cc]ontent-[Dd]isposition: ?form-data; ?name=(?:"([ !#-[\]-~]*)"|([\w-]+))(; ?filename=(?:"[ !#-[\]-~]+"|[\w.-]+))?$/;

const TEXT_TYPE = /^[Cc]ontent-[Tt]ype: ?text\/plain(?:; ?charset=(?:utf|UTF)-8)?$/;
const FILE_TYPE = /^[Cc]ontent-[Tt]ype: ?[\w.+-]+\/[\w.+-]+$/;
/** These change nothing. */
const IDLE = /^[Cc]ontent-(?:[Ll]ength: ?\d+|[Tt]ransfer-[Ee]ncoding: ?(?:7bit|8bit|binary))$/;

interface PartHead {
  name: string;
  isFile: boolean;
}

const headOf = ([, quoted, bare = '', file]: RegExpExecArray): PartHead => ({
  name: quoted ?? bare,
  isFile: file !== undefined,
});

/** What a disposition says, and another line that must fit it. */
function readLines([place = '', other]: readonly string[]): PartHead | undefined {
  const found = DISPOSITION.exec(place);
  const head = found ? headOf(found) : undefined;
  const type = head?.isFile ? FILE_TYPE : TEXT_TYPE;
  return other === undefined || type.test(other) ? head : undefined;
}

/** What the headers of a part say; undefined where a line has another form, or comes twice. */
function readHead(headers: string): PartHead | undefined {
  const alone = DISPOSITION.exec(headers);
  if (alone) return headOf(alone);
  const lines = headers.split('\r\n').filter((line) => !IDLE.test(line));
  if (lines.length > 2) return undefined;
  return readLines(DISPOSITION.test(lines[0] ?? '') ? lines : lines.toReversed());
}

/** A body as text of one character for each byte, so that both have the same positions. */
interface Body {
  text: string;
  delimiter: string;
  /** The text of some of its bytes. */
  decode: (from: number, to: number) => string;
}

interface Part extends PartHead {
  value: string;
  /** Where the delimiter behind it ends. */
  end: number;
}

/** The part behind the delimiter that ends at `at`; undefined for a part of another form. */
function readPart({ text, delimiter, decode }: Body, at: number): Part | undefined {
  const headersEnd = text.indexOf('\r\n\r\n', at);
  if (headersEnd < 0 || headersEnd - at > HEADERS_MAX || !text.startsWith('\r\n', at)) return undefined;
  // The delimiter may begin in the middle of that: then the part has no end of its headers.
  const valueEnd = text.indexOf(delimiter, headersEnd + 2);
  const length = valueEnd - headersEnd - 4;
  if (length < 0 || length > VALUE_MAX) return undefined;
  const head = readHead(text.slice(at + 2, headersEnd));
  return head && { ...head, value: decode(headersEnd + 4, valueEnd), end: valueEnd + delimiter.length };
}

/** All parts; none where one is of another form, or there are too many. */
function readParts(body: Body): Part[] {
  const parts: Part[] = [];
  // The first delimiter needs no line end before it.
  let end = body.delimiter.length - 2;
  while (!(end + 2 === body.text.length && body.text.endsWith('--'))) {
    const part = readPart(body, end);
    if (!part || parts.length === PARTS_MAX) return [];
    parts.push(part);
    end = part.end;
  }
  return parts;
}

/** Reads a body that ends with its last delimiter; undefined where it has not this form from its first byte to its last. */
export function readUsualParts(body: Buffer, contentType: string): MultipartParts | undefined {
  const delimiter = usualDelimiterOf(contentType);
  const text = body.toString('latin1');
  if (delimiter === undefined || !text.startsWith(delimiter.slice(2))) return undefined;
  const decode = isAscii(body)
    ? (from: number, to: number) => text.slice(from, to)
    : (from: number, to: number) => body.toString('utf8', from, to);
  const parts = readParts({ text, delimiter, decode });
  if (parts.length === 0) return undefined;
  return {
    pairs: parts.filter(({ isFile }) => !isFile).map(({ name, value }) => [name, value]),
    files: parts.filter(({ isFile }) => isFile).map(({ name }) => name),
  };
}
