import type { DateName, Milestone } from '../../../domain/lifecycle/lifecycle.ts';
import { NOT_KEPT } from '../../../domain/posts/not-kept.ts';

/** What people and programs are told about each date, in every place. */

const ENDS = `Calls for ${NOT_KEPT} are refused then; calls for interactions and shares get an empty answer, because the new API counts neither.`;
const DOES_NOT = `Calls for ${NOT_KEPT} are refused; calls for interactions and shares get an empty answer, because the new API counts neither.`;

/** The words hold before and after the date. */
const MEANINGS: Record<DateName, string> = {
  deprecation:
    'From this date on the old API is deprecated. It goes on working until its retirement; whoever builds or changes an app uses the new API.',
  retirement: `From this date on tokens of the old API that nobody has connected to an account of the new API are refused. For connected ones the new API answers the known old calls until the sunset. ${ENDS}`,
  sunset:
    'From this date on the old API has ended: every call to it is refused, whether its token is connected or not.',
};

/** Without an old API: tokens that are not connected are refused, whatever the date. */
const WITHOUT_BACKEND: Partial<Record<DateName, string>> = {
  deprecation:
    'From this date on the old API is deprecated. Connected tokens go on working until the sunset; whoever builds or changes an app uses the new API.',
  retirement: `On this date the old API is retired. Nothing changes here on that day: tokens of the old API that nobody has connected to an account of the new API are refused already. For connected ones the new API answers the known old calls until the sunset. ${DOES_NOT}`,
};

/** The meaning of a date. A retirement ends only the calls that an old API answers until then. */
export function meaningOf(name: DateName, hasBackend: boolean): string {
  return (hasBackend ? undefined : WITHOUT_BACKEND[name]) ?? MEANINGS[name];
}

/** The words for the other dates after the sunset, whatever moments were set. */
export const OVERTAKEN = 'The old API has ended with the sunset, and this date with it.';

/** The status of old calls from the date on, and in a brownout that rehearses the date. */
export const STATUSES: Record<Milestone, 401 | 410> = { retirement: 401, sunset: 410 };

/** The heading of a date on the page. */
export const HEADINGS: Record<DateName, string> = {
  deprecation: 'Deprecation',
  retirement: 'Retirement: tokens that are not connected',
  sunset: 'Sunset: the whole old API',
};

/** The body of the refusal after a date, as on the wire, without the parts that differ from call to call. */
export function bodyAfter(milestone: Milestone, publicUrl: string): string {
  const link = `${publicUrl}/lifecycle`;
  return milestone === 'retirement'
    ? JSON.stringify({
        error: 'The provided access token is invalid',
        code: 401,
        reauthorize: { reason: '…', link: `${publicUrl}/apps/…` },
      })
    : JSON.stringify({ error: '…', code: 410, link });
}
