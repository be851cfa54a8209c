/**
 * Whether a text has the form of old ids and of new ids. An id of another form names no update, and no API is asked for it.
 */
export function isUpdateId(id: string): boolean {
  return /^[0-9a-f]{24}$/i.test(id);
}
