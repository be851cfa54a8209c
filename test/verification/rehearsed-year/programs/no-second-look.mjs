// A bridge that does not look again before it sends: what is gone by now is put back, as it stands in the ledger.

const nothing = { waiting: 1, active: 0 };

function dueOf({ client_id: clientId, role, stage, planned_for: plannedFor }, now) {
  const [milestone] = plannedFor.split(':');
  const part = {
    role,
    clientId,
    appName: clientId,
    waiting: 1,
    tokens: nothing,
    accounts: nothing,
    lastUsedAt: now,
    waitingUsedAt: now,
    wokenAt: now,
    diedAt: now,
  };
  const date = plannedFor.includes(':') ? { milestone, at: now } : { milestone: undefined, at: undefined };
  return { clientId, role, stage, plannedFor, part, ...date, isUrgent: false, because: 'it was planned' };
}

/** The answer of `stillDue`, with nothing gone. */
export async function withoutLooking(stillDue, context, mail) {
  const held = await stillDue(context, mail);
  if (!held || held.gone.length === 0) return held;
  const rows = await context.store.durable
    .selectFrom('reminders')
    .selectAll()
    .where('id', 'in', held.gone)
    .execute();
  const now = context.clock.now();
  return { ...held, due: [...held.due, ...rows.map((row) => dueOf(row, now))], gone: [] };
}
