import type { DateName, Milestone } from '../../../domain/lifecycle/lifecycle.ts';
import { NOT_KEPT } from '../../../domain/posts/not-kept.ts';

/** What people and programs are told of each date, wherever they look it up. */

const ENDS = `What ends with the old API is ${NOT_KEPT}; interactions and shares are not counted any more.`;
const DOES_NOT = `Not among them is ${NOT_KEPT}; interactions and shares are not counted.`;

/** In words that hold before and after the date. */
const MEANINGS: Record<DateName, string> = {
  deprecation:
    'From this date on the old API is deprecated. It goes on working until the retirement and the sunset; whoever builds or changes an app uses the new API.',
  retirement: `From this date on tokens of the old API that nobody has connected to an account of the new API are refused. For connected ones the new API answers the known old calls until the sunset. ${ENDS}`,
  sunset:
    'From this date on the old API has ended: every call to it is refused, whether its token is connected or not.',
};

/** Where no old backend is behind: what is not connected is refused, whatever the date. */
const WITHOUT_BACKEND: Partial<Record<DateName, string>> = {
  deprecation:
    'From this date on the old API is deprecated. Connected tokens go on working until the sunset; whoever builds or changes an app uses the new API.',
  retirement: `From this date on the old API is retired. That changes no call here: tokens of the old API that nobody has connected to an account of the new API are refused before it too. For connected ones the new API answers the known old calls until the sunset. ${DOES_NOT}`,
};

/** What a date brings; a retirement takes away only what an old backend answers until then. */
export function meaningOf(name: DateName, hasBackend: boolean): string {
  return (hasBackend ? undefined : WITHOUT_BACKEND[name]) ?? MEANINGS[name];
}

/** What is said of the others once the sunset has come, whenever they were to be. */
export const OVERTAKEN = 'The old API has ended with the sunset, and this date with it.';

/** The status that old calls are answered with from the date on, and in a brownout that rehearses it. */
export const STATUSES: Record<Milestone, 401 | 410> = { retirement: 401, sunset: 410 };

/** What a date is called on the page. */
export const HEADINGS: Record<DateName, string> = {
  deprecation: 'Deprecation',
  retirement: 'Retirement: tokens that are not connected',
  sunset: 'Sunset: the whole old API',
};

/** The body of such an answer, as it is on the wire but for what differs from call to call. */
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
