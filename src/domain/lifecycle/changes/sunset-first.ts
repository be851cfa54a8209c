import { dateFor, type Lifecycle } from '../lifecycle.ts';

/**
 * The sunset of an app, or of all apps, where the sunset comes before the retirement. The retirement then ends nothing.
 */
export function sunsetBeforeRetirement(
  lifecycle: Lifecycle,
  clientId: string | undefined,
): number | undefined {
  const retirement = dateFor(lifecycle, 'retirement', clientId);
  const sunset = dateFor(lifecycle, 'sunset', clientId);
  return retirement !== undefined && sunset !== undefined && sunset < retirement ? sunset : undefined;
}
