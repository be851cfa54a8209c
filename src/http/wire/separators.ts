/** Counts the separators in a body before a parser reads the body: an empty parameter costs as much as a long one. */

/** Whether a body holds more than `limit` of these single bytes. */
export function hasMoreBytes(body: Buffer, bytes: string, limit: number): boolean {
  let left = limit;
  for (const byte of Buffer.from(bytes)) {
    for (let at = body.indexOf(byte); at >= 0; at = body.indexOf(byte, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}
