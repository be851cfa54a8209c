import { Counter, type Registry } from 'prom-client';

/**
 * What a consent at the new API is for. `legacy`: an old app asked for it. `sign_in`: it tells who somebody is.
 * `reauthorization`: a page of the bridge asked for it.
 */
const CONSENT_PURPOSES = ['legacy', 'sign_in', 'reauthorization'] as const;

/** What may become of a returned consent. `declined`: the person said no at the new API. */
const CONSENT_OUTCOMES = ['finished', 'declined', 'failed'] as const;

export interface ConsentMetrics {
  note: (purpose: (typeof CONSENT_PURPOSES)[number], outcome: (typeof CONSENT_OUTCOMES)[number]) => void;
}

/** Counts consents that came back from the new API. Every series begins at 0: a rule sees the first failure only then. */
export function createConsentMetrics(registry: Registry): ConsentMetrics {
  const consents = new Counter({
    name: 'grantbridge_consents_total',
    help: 'Consents that came back from the new API; of each network and purpose one failure an hour.',
    labelNames: ['purpose', 'outcome'],
    registers: [registry],
  });
  for (const purpose of CONSENT_PURPOSES)
    for (const outcome of CONSENT_OUTCOMES) consents.inc({ purpose, outcome }, 0);
  return { note: (purpose, outcome) => consents.inc({ purpose, outcome }) };
}
