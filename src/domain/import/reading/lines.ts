import { isUtf8 } from 'node:buffer';
import type { RowRefusal } from '../refusals.ts';

/** The most bytes of a line, and of a CSV record over several lines. The longest real row has a few hundred bytes. */
export const LINE_BYTES_MAX = 64 * 1024;

/** A line without its line end. */
export interface ImportLine {
  line: number;
  text: string;
  /** The last line of a file that ends without a line feed: the file may have been cut here. */
  isCut: boolean;
}

const LINE_FEED = 10;
const NOTHING: Buffer = Buffer.alloc(0);

function textOf(bytes: Buffer, number: number): string {
  const text = bytes.toString('utf8');
  const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
  return number === 1 && whole.startsWith('\u{FEFF}') ? whole.slice(1) : whole;
}

/**
 * Cuts bytes into numbered lines. A line over the limit is dropped while its bytes arrive, so memory has a bound. A
 * line over the limit and a line that is not UTF-8 are returned as refusals.
 */
export class LineSplitter {
  #held = NOTHING;
  #isTooLong = false;
  #number = 0;

  /** The lines that end in these bytes. */
  push(bytes: Buffer): Array<ImportLine | RowRefusal> {
    const lines: Array<ImportLine | RowRefusal> = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      this.#hold(bytes.subarray(start, end));
      lines.push(this.#finish(false));
      start = end + 1;
    }
    this.#hold(bytes.subarray(start));
    return lines;
  }

  /** The last line, when no line feed ends the line. */
  end(): Array<ImportLine | RowRefusal> {
    return this.#held.length > 0 || this.#isTooLong ? [this.#finish(true)] : [];
  }

  #hold(part: Buffer): void {
    if (this.#isTooLong) return;
    this.#isTooLong = this.#held.length + part.length > LINE_BYTES_MAX;
    if (this.#isTooLong) this.#held = NOTHING;
    else this.#held = this.#held.length === 0 ? part : Buffer.concat([this.#held, part]);
  }

  #finish(isCut: boolean): ImportLine | RowRefusal {
    const [bytes, isTooLong] = [this.#held, this.#isTooLong];
    this.#held = NOTHING;
    this.#isTooLong = false;
    this.#number += 1;
    const line = this.#number;
    if (isTooLong) return { line, reason: 'the line is longer than 64 KB' };
    if (!isUtf8(bytes)) return { line, reason: 'not UTF-8' };
    return { line, text: textOf(bytes, line), isCut };
  }
}
