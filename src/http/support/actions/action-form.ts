import type { Request, RequestHandler, Response, Router } from 'express';
import type { Origin } from '../../../domain/origin.ts';
import { checkedReason, ReasonRefused } from '../../../domain/history/reason.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { tokensIn } from '../../../shared/log/token-like.ts';
import { fieldsOf, type PageShell } from '../../site/page-shell.ts';
import { readerOf, roleIn } from '../../site/reader.ts';
import { askAgain, type FormProblems } from '../../site/problems.ts';
import { type NoticeRedirect, leaveWith } from '../../pages/flash-notice.ts';
import { callingOf } from '../../request-trace.ts';

export type { NoticeRedirect };

/**
 * Every staff action works in the same way. A page says what will happen and to whom, and asks for a reason. The form
 * on this page does the action. The page from which the person came then confirms the action. An action that comes too
 * late changes nothing, and the same page says so.
 */

/**
 * One entry of a form besides the reason. A hidden entry (`seen_…`) carries the state that the page showed, so that the
 * action does not apply to a state that has changed since.
 */
export type Field =
  | { kind: 'hidden'; name: `seen_${string}`; value: string }
  | { kind: 'text' | 'date'; name: string; label: string; hint: string; value: string }
  | {
      kind: 'choice';
      name: string;
      label: string;
      value: string;
      choices: Array<{ value: string; label: string }>;
    };

/** The page of an action. */
export interface ActionPage {
  title: string;
  /** The effects of the action, one or two sentences for each effect. */
  says: string[];
  /** The people and things concerned. A time is in Unix milliseconds. */
  facts: Array<{ term: string; text?: string; time?: number | undefined }>;
  fields?: Field[];
  /** Undefined where the action is not possible now; `says` tells why. */
  button: { label: string; isDanger: boolean } | undefined;
  back: { href: string; label: string };
}

/** The sent form: entries without surrounding blanks, a valid reason, and the person who sent the form. */
interface ActionInput<Target> {
  target: Target;
  fields: Record<string, string>;
  reason: string;
  origin: Origin;
  role: StaffRole;
}

type ActionRefusal = { problems: FormProblems; status?: number };

/** An action of one kind. */
export interface StaffAction<Target> {
  /** Ends with the name of the action. */
  path: string;
  /** The role, or the function that finds it by the address. */
  needs: StaffRole | ((req: Request) => Promise<StaffRole>);
  /** @throws {PageError} where the target does not exist */
  find(req: Request): Promise<Target>;
  /** The page of the action. Where the action makes no sense (any more): the page that shows the present state. */
  ask(target: Target): Promise<ActionPage | NoticeRedirect>;
  /** Typed texts that are ids of existing things. The page shows these texts again, however long they are. */
  knownIds?(fields: Record<string, string>): Promise<string[]>;
  /** Returns the next address, or the problems; undefined where `act` has sent the answer. */
  act(sent: ActionInput<Target>, res: Response): Promise<NoticeRedirect | ActionRefusal | undefined>;
}

const REASON = 'Say why, in 1 to 500 printable characters on one line.';
const SECRET =
  'This holds what looks like a token or secret, and the history keeps it for ever. Name its first and last characters instead.';

function readReason(text: string): { reason: string } | { problems: FormProblems } {
  try {
    return { reason: checkedReason(text) };
  } catch (error) {
    if (!(error instanceof ReasonRefused)) throw error;
    return { problems: { reason: tokensIn(text).length > 0 ? SECRET : REASON } };
  }
}

interface ActionPageInput {
  asking: ActionPage | NoticeRedirect;
  typed?: Record<string, string>;
  problems?: FormProblems;
  knownIds?: readonly string[];
}

/** A hidden entry keeps the value that the page shows now, not the value that was sent. */
const withTyped = (field: Field, typed: Record<string, string>): Field =>
  field.kind === 'hidden' ? field : { ...field, value: typed[field.name] ?? field.value };

/** Shows the page of the action, or leads to the page that shows the present state. */
function show(
  frame: PageShell,
  res: Response,
  { asking, typed = {}, problems = {}, knownIds = [] }: ActionPageInput,
): void {
  if ('notice' in asking) return leaveWith(frame.context, res, asking);
  const fields = (asking.fields ?? []).map((field) => withTyped(field, typed));
  const entries = { fields, reason: typed['reason'] ?? '' };
  askAgain(frame, res, { template: 'support-action', ...asking, ...entries, problems, knownIds });
}

const trimmed = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.trim()]));

function takeForm<Target>(frame: PageShell, action: StaffAction<Target>): RequestHandler {
  return async (req, res) => {
    const target = await action.find(req);
    const fields = trimmed(fieldsOf(req));
    const again = async (problems: FormProblems) => {
      const [asking, knownIds = []] = [await action.ask(target), await action.knownIds?.(fields)];
      show(frame, res, { asking, typed: fields, problems, knownIds });
    };
    const read = readReason(fields['reason'] ?? '');
    if ('problems' in read) return again(read.problems);
    const origin = { actor: readerOf(req).actor, ...callingOf(res) };
    const role = roleIn(res) ?? 'reader';
    const answer = await action.act({ target, fields, ...read, origin, role }, res);
    if (answer === undefined) return;
    if ('notice' in answer) return leaveWith(frame.context, res, answer);
    if (answer.status !== undefined) res.status(answer.status);
    return again(answer.problems);
  };
}

/** Adds the page and the form of an action. Both need the role of the action. */
export function addAction<Target>(router: Router, frame: PageShell, action: StaffAction<Target>): void {
  const { needs } = action;
  const role: RequestHandler =
    typeof needs === 'string'
      ? frame.requireRole(needs)
      : async (req, res, next) => frame.requireRole(await needs(req))(req, res, next);
  router.get(action.path, role, async (req, res) =>
    show(frame, res, { asking: await action.ask(await action.find(req)) }),
  );
  router.post(action.path, role, takeForm(frame, action));
}
