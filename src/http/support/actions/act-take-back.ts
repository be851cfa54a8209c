import type { Request } from 'express';
import { mayAct, type StaffRole } from '../../../domain/accounts/staff.ts';
import { TakeBackRefused } from '../../../domain/history/record-deed.ts';
import { KINDS } from '../../../domain/take-back/kinds.ts';
import { type DeedLook, lookAtEntry } from '../../../domain/take-back/look.ts';
import { takeEntryBack } from '../../../domain/take-back/take-back.ts';
import { PageError } from '../../pages/page-error.ts';
import type { PageShell } from '../../site/page-shell.ts';
import type { ActionPage, NoticeRedirect, StaffAction } from './action-form.ts';
import type { OfferedAction } from './action-list.ts';

/** /support/history/:entryId/take-back: takes back what an entry of the history tells. */

async function deedIn({ context }: PageShell, req: Request): Promise<DeedLook> {
  const entryId = Number(req.params['entryId']);
  const look = Number.isSafeInteger(entryId) ? await lookAtEntry(context, entryId) : undefined;
  if (look) return look;
  throw new PageError(404, 'There is nothing to take back', {
    reason: 'No entry of the history with this number tells of something that staff can take back.',
    next: 'Open the token or the app under “Search”. Its history says what can be taken back.',
  });
}

function pageOf({ mappingId, clientId }: DeedLook): string {
  if (mappingId !== null) return `/support/mappings/${mappingId}`;
  return clientId === null ? '/support' : `/support/apps/${encodeURIComponent(clientId)}`;
}

/** The address of the form for an entry. */
export const takeBackHref = ({ entryId }: Pick<DeedLook, 'entryId'>): string =>
  `/support/history/${entryId}/take-back`;

const labelOf = ({ kind }: DeedLook): string => `Take back ${KINDS[kind].noun}`;

function ask(look: DeedLook): ActionPage | NoticeRedirect {
  const { kind, whyNot, isTakenBack, doneAt, until, reason } = look;
  const page = pageOf(look);
  if (isTakenBack) return { href: page, notice: 'too-late' };
  const facts = [
    { term: 'Done', time: doneAt },
    ...(reason === null ? [] : [{ term: 'Reason then', text: reason }]),
  ];
  const back = { href: page, label: 'Back to where it was done' };
  if (whyNot !== undefined)
    return { title: `${labelOf(look)}: not possible`, says: [whyNot], facts, button: undefined, back };
  return {
    title: `${labelOf(look)}?`,
    says: [KINDS[kind].back],
    facts: [...facts, { term: 'Possible until', time: until }],
    button: { label: 'Take it back', isDanger: false },
    back,
  };
}

/** The action `take-back`. */
export function takeBackAction(frame: PageShell): StaffAction<DeedLook> {
  return {
    path: '/support/history/:entryId/take-back',
    needs: async (req) => (await deedIn(frame, req)).needs,
    find: (req) => deedIn(frame, req),
    ask: async (look) => ask(look),
    async act({ target, reason, origin, role }) {
      try {
        await takeEntryBack(frame.context, { entryId: target.entryId, reason, role, ...origin });
      } catch (error) {
        if (!(error instanceof TakeBackRefused)) throw error;
        return { href: pageOf(target), notice: 'too-late' };
      }
      return { href: pageOf(target), notice: 'taken-back' };
    },
  };
}

/** The deeds that can be taken back, as actions of a page. */
export function takeBackOffers(role: StaffRole, looks: ReadonlyArray<DeedLook | undefined>): OfferedAction[] {
  return looks
    .filter((look) => look !== undefined)
    .filter(({ whyNot }) => whyNot === undefined)
    .map((look) => ({
      name: 'take-back',
      label: labelOf(look),
      href: takeBackHref(look),
      kind: 'plain',
      needs: look.needs,
      isAllowed: mayAct(role, look.needs),
    }));
}
