/** Where a sign-in may lead: a page of ours for signed-in people. */

const START = '/apps';
const LONGEST = 200;

/** Nothing in it can be another site, another header line, an escape or a folder above. A file has an ending. */
const OURS = /^\/(apps|support)(\/[\w-][\w.-]*)*(\?[\w=&.-]+)?$/;

/** Longer than any id of ours: the value of a mailed link, or a token that somebody put there. The way back is kept. */
const MAYBE_SECRET = /[\w-]{30}/;

function isOurs(path: string): boolean {
  return path.length <= LONGEST && OURS.test(path) && !MAYBE_SECRET.test(path);
}

/** The address that was asked for, without its query where that may not stand there, else the first of those pages. */
export function returnPath(asked: unknown): string {
  if (typeof asked !== 'string') return START;
  return [asked, asked.split('?')[0] ?? ''].find(isOurs) ?? START;
}
