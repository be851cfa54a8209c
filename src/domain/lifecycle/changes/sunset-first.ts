import { dateFor, type Lifecycle } from '../lifecycle.ts';

/** The sunset of an app, or of all, where it comes before the retirement, which then brings nothing any more. */
export function sunsetBeforeRetirement(
  lifecycle: Lifecycle,
  clientId: string | undefined,
): number | undefined {
  const retirement = dateFor(lifecycle, 'retirement', clientId);
  const sunset = dateFor(lifecycle, 'sunset', clientId);
  return retirement !== undefined && sunset !== undefined && sunset < retirement ? sunset : undefined;
}
