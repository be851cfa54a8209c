import busboy from 'busboy';
import { BODY_LIMIT } from '../body-limits.ts';
import { hasTooManyLines, hasTooManyParts, PARTS_MAX, untilEnd, UNUSUAL_PARTS_MAX } from './delimiters.ts';
import { MalformedBody } from './malformed-body.ts';
import { type MultipartParts, readUsualParts, VALUE_MAX } from './usual-parts.ts';

/** Of the parser, which says that there are too many parts when it has read the last one that it may read. */
const limitsOf = (fields: number): busboy.Limits => ({
  fields,
  parts: fields + 1,
  fieldSize: VALUE_MAX,
  headerPairs: 50,
});

/** The most frequent of these names, without its brackets. */
function commonest(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) {
    const base = name.split('[', 1)[0] ?? '';
    counts.set(base, (counts.get(base) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

/** The names of parts, as most programs write them. */
function writtenNames(body: Buffer): string[] {
  return [...body.toString('utf8').matchAll(/; name="([^"\r\n]*)"/g)].map(([, name = '']) => name);
}

/** The parser gets a body in pieces of this many bytes, so that a refused body is not read to its end. */
const PIECE = 1024;

/** Reads a body until its end, or until it is refused. */
function feed(parser: busboy.Busboy, body: Buffer, isRefused: () => boolean): void {
  for (let at = 0; at < body.length && !isRefused(); at += PIECE) parser.write(body.subarray(at, at + PIECE));
  if (!isRefused()) parser.end();
}

/**
 * Reads the fields, and the names of files. A failure in the middle of a file is a failure of the parser as well.
 * @throws {MalformedBody}
 */
export function readMultipart(whole: Buffer, contentType: string): Promise<MultipartParts> {
  if (hasTooManyLines(whole)) return Promise.reject(new MalformedBody('too many lines'));
  const body = untilEnd(whole, contentType);
  if (hasTooManyParts(body, contentType)) {
    const findField = () => commonest(writtenNames(body));
    return Promise.reject(new MalformedBody('too many parts', { findField }));
  }
  const usual = body.length <= BODY_LIMIT ? readUsualParts(body, contentType) : undefined;
  return usual
    ? Promise.resolve(usual)
    : parseMultipart(body, contentType, whole.length > BODY_LIMIT ? PARTS_MAX : UNUSUAL_PARTS_MAX);
}

/** Reads a body of any form, with so many parts at most, with the parser. @throws {MalformedBody} */
export function parseMultipart(body: Buffer, contentType: string, most: number): Promise<MultipartParts> {
  return new Promise((resolve, reject) => {
    let isRefused = false;
    const refuse = (message: string, options: { cause?: unknown; findField?: () => string | undefined }) => {
      isRefused = true;
      reject(new MalformedBody(message, options));
    };
    const { pairs, files }: MultipartParts = { pairs: [], files: [] };
    const findField = () => commonest(pairs.map(([name]) => name));
    const refuseMany = (message: string) => refuse(message, { findField });
    const refuseBroken = (cause: unknown) => refuse('broken multipart body', { cause });
    try {
      const parser = busboy({ headers: { 'content-type': contentType }, limits: limitsOf(most) });
      // A part may have no name, and in a charset that nobody knows no value, although the types of the parser do not
      // say that.
      parser.on('field', (name: string | undefined, value: string | undefined) => {
        if (value === undefined) refuse('a charset that is not known', {});
        else pairs.push([name ?? '', value]);
      });
      parser.on('file', (name: string | undefined, file) => {
        files.push(name ?? '');
        file.on('error', refuseBroken).resume();
      });
      parser.on('fieldsLimit', () => refuseMany('too many fields'));
      parser.on('partsLimit', () => refuseMany('too many parts'));
      parser.on('error', refuseBroken);
      parser.on('close', () => resolve({ pairs, files }));
      feed(parser, body, () => isRefused);
    } catch (cause) {
      refuseBroken(cause);
    }
  });
}
