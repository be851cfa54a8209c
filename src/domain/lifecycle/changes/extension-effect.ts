import { momentText } from '../../../shared/moments.ts';
import { changesCalls, dateFor, type Lifecycle, type Milestone } from '../lifecycle.ts';

/**
 * The effect of an extension on its app, as pure functions. The tokens of the app are not looked at: the app may get
 * more tokens on any day, and until the retirement the old API answers some calls of connected tokens too.
 */

export interface Extension {
  clientId: string;
  name: Milestone;
  until: number;
}

/** The moment, and whether the old API runs. */
interface EffectInput {
  now: number;
  hasOldApi: boolean;
}

/** Without a running old API, a retirement ends no calls. */
const NO_OLD_API =
  'There is no old API behind this bridge: tokens that are not connected are refused before the retirement too. More time until the retirement changes no call here.';

/**
 * When an app loses the calls that a milestone ends. The sunset ends all calls, so no extension lasts beyond the
 * sunset.
 */
function lossAt(lifecycle: Lifecycle, { clientId, name }: Omit<Extension, 'until'>): number {
  const own = dateFor(lifecycle, name, clientId) ?? Infinity;
  return Math.min(own, dateFor(lifecycle, 'sunset', clientId) ?? Infinity);
}

function withExtension(lifecycle: Lifecycle, { clientId, name, until }: Extension): Lifecycle {
  const own = { ...lifecycle.extensions.get(clientId), [name]: until };
  return { ...lifecycle, extensions: new Map([...lifecycle.extensions, [clientId, own]]) };
}

/** Whether the extension changes no answer to the app from this moment on. */
function isSameFrom(now: number, lifecycle: Lifecycle, extension: Extension): boolean {
  const [before, after] = [lifecycle, withExtension(lifecycle, extension)].map((one) =>
    Math.max(now, lossAt(one, extension)),
  );
  return before === after;
}

/** Why no extension of a milestone gives any app more time; undefined where an extension can. */
export function whyNoneHelps(
  { dates }: Lifecycle,
  name: Milestone,
  { hasOldApi }: Pick<EffectInput, 'hasOldApi'>,
): string | undefined {
  if (!changesCalls(name, hasOldApi)) return NO_OLD_API;
  return dates[name] === undefined ? `No ${name} is set for all, so there is nothing to put off.` : undefined;
}

/**
 * Why an extension changes nothing for its app, in one or two sentences; undefined where the extension has an effect.
 */
export function whyInVain(
  lifecycle: Lifecycle,
  extension: Extension,
  { now, hasOldApi }: EffectInput,
): string | undefined {
  const { clientId, name, until } = extension;
  const none = whyNoneHelps(lifecycle, name, { hasOldApi });
  if (none !== undefined) return none;
  const common = lifecycle.dates[name] ?? Infinity;
  if (until <= common)
    return `The ${name} of all comes at ${momentText(common)}, which is not before ${momentText(until)}. This gives no more time.`;
  if (!isSameFrom(now, lifecycle, extension)) return undefined;
  const sunset = momentText(dateFor(lifecycle, 'sunset', clientId) ?? Infinity);
  return `The sunset comes first for this app, at ${sunset}, and ends everything with it. This gives no more time.`;
}
