import type { Request, RequestHandler, Response, Router } from 'express';
import type { Origin } from '../../../domain/context.ts';
import { checkedReason, ReasonRefused } from '../../../domain/history/reason.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { tokensIn } from '../../../shared/log/token-like.ts';
import { fieldsOf, type PageShell, personIn } from '../../site/page-shell.ts';
import { askAgain, type Problems } from '../../site/problems.ts';
import { type Leaving, leaveWith } from '../../pages/flash-notice.ts';
import { requestIdOf } from '../../request-id.ts';

export type { Leaving };

/**
 * Every action of staff is asked for in the same way: a page says what will happen and to whom and takes a reason, its form
 * does it, and the page that it came from says that it is done. What came too late changes nothing and says so there.
 */

/**
 * One entry of a form beside the reason; a hidden one (`seen_…`) carries what the page showed, so that nothing is done to
 * what has become another since.
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

/** What stands on the page of an action. */
export interface Asking {
  title: string;
  /** What will happen, a sentence or two each. */
  says: string[];
  /** To whom and to what; a time in Unix milliseconds. */
  facts: Array<{ term: string; text?: string; time?: number | undefined }>;
  fields?: Field[];
  /** Undefined where nothing can be done just now, as `says` tells. */
  button: { label: string; isDanger: boolean } | undefined;
  back: { href: string; label: string };
}

/** What was sent: entries without blanks around them, a reason that can be kept, and who it was. */
interface Sent<Target> {
  target: Target;
  fields: Record<string, string>;
  reason: string;
  origin: Origin;
}

type Refused = { problems: Problems; status?: number };

/** An action of one kind. */
export interface Action<Target> {
  /** With the name of the action at its end. */
  path: string;
  needs: StaffRole;
  /** @throws {PageError} where there is no such thing */
  find(req: Request): Promise<Target>;
  /** Where the action makes no sense (any more), the page that says how it is now. */
  ask(target: Target): Promise<Asking | Leaving>;
  /** What was typed and is an id of something here, so that it is shown again however long it is. */
  knownIds?(fields: Record<string, string>): Promise<string[]>;
  /** Answers where to go, or what is wrong; undefined where it has answered itself. */
  act(sent: Sent<Target>, res: Response): Promise<Leaving | Refused | undefined>;
}

const REASON = 'Say why, in 1 to 500 printable characters on one line.';
const SECRET =
  'This holds what looks like a token or secret, and the history keeps it for ever. Name its first and last characters instead.';

function readReason(text: string): { reason: string } | { problems: Problems } {
  try {
    return { reason: checkedReason(text) };
  } catch (error) {
    if (!(error instanceof ReasonRefused)) throw error;
    return { problems: { reason: tokensIn(text).length > 0 ? SECRET : REASON } };
  }
}

interface Shown {
  asking: Asking | Leaving;
  typed?: Record<string, string>;
  problems?: Problems;
  knownIds?: readonly string[];
}

/** What is hidden goes with what the page shows now. */
const withTyped = (field: Field, typed: Record<string, string>): Field =>
  field.kind === 'hidden' ? field : { ...field, value: typed[field.name] ?? field.value };

/** The page, or the way to the one that says how it is now. */
function show(
  frame: PageShell,
  res: Response,
  { asking, typed = {}, problems = {}, knownIds = [] }: Shown,
): void {
  if ('notice' in asking) return leaveWith(frame.context, res, asking);
  const fields = (asking.fields ?? []).map((field) => withTyped(field, typed));
  const entries = { fields, reason: typed['reason'] ?? '' };
  askAgain(frame, res, { template: 'support-action', ...asking, ...entries, problems, knownIds });
}

const trimmed = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.trim()]));

function takeForm<Target>(frame: PageShell, action: Action<Target>): RequestHandler {
  return async (req, res) => {
    const target = await action.find(req);
    const fields = trimmed(fieldsOf(req));
    const again = async (problems: Problems) => {
      const [asking, knownIds = []] = [await action.ask(target), await action.knownIds?.(fields)];
      show(frame, res, { asking, typed: fields, problems, knownIds });
    };
    const read = readReason(fields['reason'] ?? '');
    if ('problems' in read) return again(read.problems);
    const origin = { actor: `account:${personIn(req).accountId}`, requestId: requestIdOf(res) };
    const answer = await action.act({ target, fields, ...read, origin }, res);
    if (answer === undefined) return;
    if ('notice' in answer) return leaveWith(frame.context, res, answer);
    if (answer.status !== undefined) res.status(answer.status);
    return again(answer.problems);
  };
}

/** Adds the page of an action and its form; both are for the role that it takes. */
export function addAction<Target>(router: Router, frame: PageShell, action: Action<Target>): void {
  const role = frame.requireRole(action.needs);
  router.get(action.path, role, async (req, res) =>
    show(frame, res, { asking: await action.ask(await action.find(req)) }),
  );
  router.post(action.path, role, takeForm(frame, action));
}
