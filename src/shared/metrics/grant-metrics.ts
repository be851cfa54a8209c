import { Counter, type Registry } from 'prom-client';

/**
 * How a presentation of a refresh token ended. `renewed`: the next pair is stored. `refused`: the new API refused the
 * refresh token. `client_refused`: it refused the client. `not_sent`: nothing was spent. `in_doubt`: nobody can say.
 */
const REFRESH_OUTCOMES = ['renewed', 'refused', 'client_refused', 'not_sent', 'in_doubt'] as const;

export type RefreshOutcome = (typeof REFRESH_OUTCOMES)[number];

/** Why a grant ended that the bridge did not mean to end. */
const DEATH_CAUSES = ['refused', 'lost', 'superseded'] as const;

export interface GrantMetrics {
  noteRefresh: (outcome: RefreshOutcome) => void;
  noteDeath(cause: (typeof DEATH_CAUSES)[number]): void;
}

/** Counts refreshes and deaths of grants. Every series begins at zero: a rule sees the first of each only then. */
export function createGrantMetrics(registry: Registry): GrantMetrics {
  const refreshes = new Counter({
    name: 'grantbridge_refreshes_total',
    help: 'Presentations of refresh tokens.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const deaths = new Counter({
    name: 'grantbridge_grants_ended_total',
    help: 'Grants that ended although nobody ended them here.',
    labelNames: ['cause'],
    registers: [registry],
  });
  for (const outcome of REFRESH_OUTCOMES) refreshes.inc({ outcome }, 0);
  for (const cause of DEATH_CAUSES) deaths.inc({ cause }, 0);
  return {
    noteRefresh: (outcome) => refreshes.inc({ outcome }),
    noteDeath: (cause) => deaths.inc({ cause }),
  };
}
