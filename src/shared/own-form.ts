/** What a browser reports about the origin of a form. */
interface FormHeaders {
  /** `Sec-Fetch-Site`. */
  site: string | undefined;
  origin: string | undefined;
}

/** Whether the browser confirms that a form came from a page of ours. Without a confirmation the origin is unknown. */
export function isSaidOwn(own: string, { site, origin }: FormHeaders): boolean {
  return site === undefined ? origin === own : site === 'same-origin';
}

/**
 * Whether a form was sent from a page of ours. A browser with `Sec-Fetch-Site` is believed. For other browsers a
 * missing or `null` origin is accepted, because the no-referrer policy of our pages makes them send `null`. Each form
 * is also bound to its browser by an unguessable value.
 */
export function isOwnForm(own: string, { site, origin }: FormHeaders): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === undefined || origin === 'null' || origin === own;
}
