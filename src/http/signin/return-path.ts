/** The page after a sign-in: a page of the bridge for signed-in people. */

const START = '/apps';
const LONGEST = 200;

/**
 * The pattern allows no other site, no further header line and no parent folder. A dot is for the ending of a file. The
 * only escapes are those of the slash and the plus sign in the query, which names of time zones need.
 */
const OURS = /^\/(apps|support)(\/[\w-][\w.-]*)*(\?(?:[\w=&.-]|%2[BF])+)?$/;

/**
 * Longer than any id of the bridge: the value of a mailed link, or a token that somebody put into the address. The
 * return path is stored, so it must hold no secret.
 */
const MAYBE_SECRET = /[\w-]{30}/;

function isOurs(path: string): boolean {
  return path.length <= LONGEST && OURS.test(path) && !MAYBE_SECRET.test(path);
}

/** The wanted address; else the same address without its query; else the first page for signed-in people. */
export function returnPath(asked: unknown): string {
  if (typeof asked !== 'string') return START;
  return [asked, asked.split('?')[0] ?? ''].find(isOurs) ?? START;
}
