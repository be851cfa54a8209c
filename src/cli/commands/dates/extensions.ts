import type { Context } from '../../../domain/context.ts';
import {
  endExtension,
  extendApp,
  warningsOfExtension,
} from '../../../domain/lifecycle/changes/extend-app.ts';
import type { Milestone } from '../../../domain/lifecycle/lifecycle.ts';
import { readLifecycle } from '../../../domain/lifecycle/read-lifecycle.ts';
import { extensionUntil } from '../../../store/lifecycle/extensions.ts';
import { commandActor } from '../by-option.ts';
import { momentOf, shown } from './moment-option.ts';
import { undoLines } from '../history/undo.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

const milestoneOf = (options: Record<string, unknown>): Milestone =>
  options['sunset'] === true ? 'sunset' : 'retirement';

interface AskedExtension {
  clientId: string;
  name: Milestone;
  until: number;
}

const asLines = (warnings: readonly string[]) => warnings.map((warning) => `warning: ${warning}`);

async function extendedAlready({ store, clock }: Context, asked: AskedExtension): Promise<Result> {
  const { clientId, name, until } = asked;
  const warnings = warningsOfExtension(await readLifecycle(store.durable, clock.now()), asked);
  const words = `The app has more time for the ${name} until ${shown(until)} already. Nothing was changed.`;
  const json = { client_id: clientId, name, until: shown(until), before: shown(until), warnings };
  return { ok: true, lines: [words, ...asLines(warnings)], json: { ...json, changed: false } };
}

/** `apps extend CLIENT_ID --until MOMENT --reason TEXT [--sunset]`: gives one app more time. */
export async function extend(
  options: Record<string, unknown>,
  [clientId = '']: readonly string[],
): Promise<Result> {
  const until = momentOf('--until', options['until']);
  const name = milestoneOf(options);
  return withContext(async ({ context }) => {
    const asked = { clientId, name, until, reason: String(options['reason']), actor: commandActor(options) };
    const present = await extensionUntil(context.store.durable, { clientId, name });
    if (present === until && until > context.clock.now()) return extendedAlready(context, asked);
    const { before, warnings } = await extendApp(context, asked);
    const was = before === undefined ? '' : ` This extension replaces the one until ${shown(before)}.`;
    const first = `The ${name} comes for this app at ${shown(until)} at the earliest.${was}`;
    const json = {
      client_id: clientId,
      name,
      until: shown(until),
      before: before === undefined ? null : shown(before),
      warnings,
      changed: true,
    };
    const undo = await undoLines(context, 'extension', `${clientId} ${name}`);
    return { ok: true, lines: [first, ...asLines(warnings), ...undo], json };
  });
}

/** `apps unextend CLIENT_ID --reason TEXT [--sunset] [--force]`: ends an extension. The date for all apps applies again. */
export async function unextend(
  options: Record<string, unknown>,
  [clientId = '']: readonly string[],
): Promise<Result> {
  const name = milestoneOf(options);
  return withContext(async ({ context }) => {
    const asked = { clientId, name, reason: String(options['reason']), actor: commandActor(options) };
    const { before } = await endExtension(context, { ...asked, isForced: options['force'] === true });
    const line = `The common ${name} applies to this app again. The app had time until ${shown(before)}.`;
    const undo = await undoLines(context, 'extension', `${clientId} ${name}`);
    return { ok: true, lines: [line, ...undo], json: { client_id: clientId, name, before: shown(before) } };
  });
}
