/** What a browser says of where a form was sent from. */
interface FormHeaders {
  /** `Sec-Fetch-Site`. */
  site: string | undefined;
  origin: string | undefined;
}

/** Whether the browser says that a form came from a page of ours; where it says nothing, that is not known. */
export function isSaidOwn(own: string, { site, origin }: FormHeaders): boolean {
  return site === undefined ? origin === own : site === 'same-origin';
}

/**
 * Whether a form was sent from a page of ours. Browsers that say it are believed; of the others an origin that is
 * missing or `null` is let through, for the no-referrer policy of our pages makes them send that; each form is bound to
 * its browser by an unguessable value besides.
 */
export function isOwnForm(own: string, { site, origin }: FormHeaders): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === undefined || origin === 'null' || origin === own;
}
