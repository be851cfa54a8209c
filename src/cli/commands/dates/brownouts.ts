import type { Context } from '../../../domain/context.ts';
import { describeLifecycle, type PublicBrownout } from '../../../domain/lifecycle/changes/describe.ts';
import { endExemption, exemptApp } from '../../../domain/lifecycle/changes/exempt-app.ts';
import { planBrownout, removeBrownout } from '../../../domain/lifecycle/changes/plan-brownout.ts';
import type { Milestone } from '../../../domain/lifecycle/lifecycle.ts';
import { listExemptions } from '../../../store/lifecycle/brownout-exemptions.ts';
import { commandActor } from '../by-option.ts';
import { momentOf, printable, shown } from './moment-option.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

function jsonOf({ id, rehearses, startsAt, endsAt, state, text }: PublicBrownout) {
  return { id, rehearses, starts_at: shown(startsAt), ends_at: shown(endsAt), state, text };
}

/** `brownouts add --from MOMENT --to MOMENT --rehearses NAME --text TEXT`: plans a brownout for all apps. */
export async function addBrownout(options: Record<string, unknown>): Promise<Result> {
  const startsAt = momentOf('--from', options['from']);
  const endsAt = momentOf('--to', options['to']);
  return withContext(async ({ context }) => {
    const rehearses = options['rehearses'] as Milestone;
    const asked = {
      rehearses,
      startsAt,
      endsAt,
      text: String(options['text']),
      actor: commandActor(options),
    };
    const planned = await planBrownout(context, asked);
    const lines = [
      `Brownout ${planned.id} of the ${rehearses} is planned, from ${shown(startsAt)} to ${shown(endsAt)}.`,
      `The brownout is announced ${announcedWhere(context)}. To leave an app out: grantbridge brownouts exempt`,
    ];
    return { ok: true, lines, json: jsonOf({ ...planned, state: 'planned' }) };
  });
}

const announcedWhere = ({ settings }: Context): string =>
  settings.sendsReminders
    ? 'on /lifecycle, in /lifecycle.json and in mails'
    : 'on /lifecycle and in /lifecycle.json, and in no mail: SMTP_URL is not set';

async function describedExemptions({ store, clock }: Context) {
  const now = clock.now();
  return (await listExemptions(store.durable)).map((row) => ({
    client_id: row.client_id,
    app: row.app_name,
    until: shown(row.until),
    is_over: row.until <= now,
    reason: row.reason,
    granted_by: row.granted_by,
  }));
}

/** `brownouts list`: the brownouts for all apps, from the last 90 days on, and the apps that are exempt. */
export async function listBrownouts(): Promise<Result> {
  return withContext(async ({ context }) => {
    const brownouts = (await describeLifecycle(context)).brownouts.map(jsonOf);
    const exemptions = await describedExemptions(context);
    const lines = brownouts.map(
      (one) => `${one.id}  ${one.rehearses}  ${one.starts_at} to ${one.ends_at}  ${one.state}  ${one.text}`,
    );
    const leftOut = exemptions.map(
      (one) =>
        `${one.client_id}  ${one.app}: until ${one.until}${one.is_over ? ' (over)' : ''}: ${one.reason} (${one.granted_by})`,
    );
    const all = [
      ...(lines.length > 0 ? lines : ['No brownout is planned.']),
      ...(leftOut.length > 0 ? ['', 'Apps that brownouts leave out:', ...leftOut] : []),
    ];
    return { ok: true, lines: all.map(printable), json: { brownouts, exemptions } };
  });
}

/** `brownouts remove ID`: removes a planned brownout, or ends a running brownout. */
export async function removeOne(
  options: Record<string, unknown>,
  [id = '']: readonly string[],
): Promise<Result> {
  return withContext(async ({ context }) => {
    const { hadBegun } = await removeBrownout(context, { id, actor: commandActor(options) });
    const line = hadBegun
      ? 'The brownout has ended. Running bridges end it within a second.'
      : 'The brownout is cancelled.';
    return { ok: true, lines: [line], json: { id, had_begun: hadBegun } };
  });
}

/** `brownouts exempt CLIENT_ID --until MOMENT --reason TEXT`: exempts one app from the brownouts for all apps. */
export async function exempt(
  options: Record<string, unknown>,
  [clientId = '']: readonly string[],
): Promise<Result> {
  const until = momentOf('--until', options['until']);
  return withContext(async ({ context }) => {
    const asked = { clientId, until, reason: String(options['reason']), actor: commandActor(options) };
    const { before } = await exemptApp(context, asked);
    const was = before === undefined ? '' : ` This exemption replaces the exemption until ${shown(before)}.`;
    return {
      ok: true,
      lines: [`Brownouts leave this app out until ${shown(until)}.${was}`],
      json: { client_id: clientId, until: shown(until), before: before === undefined ? null : shown(before) },
    };
  });
}

/** `brownouts unexempt CLIENT_ID --reason TEXT`: ends the exemption of an app. */
export async function unexempt(
  options: Record<string, unknown>,
  [clientId = '']: readonly string[],
): Promise<Result> {
  return withContext(async ({ context }) => {
    const asked = { clientId, reason: String(options['reason']), actor: commandActor(options) };
    const { before } = await endExemption(context, asked);
    const line = `Brownouts apply to this app again. The app was to be left out until ${shown(before)}.`;
    return { ok: true, lines: [line], json: { client_id: clientId, before: shown(before) } };
  });
}
