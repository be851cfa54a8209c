import type { Service } from '../directory.ts';
import type { GoogleDetails, ServiceMetadata } from './inputs.ts';

/** What a new post must say and an edit need not repeat. */
const kept: Partial<Record<Service, readonly (keyof ServiceMetadata)[]>> = {
  pinterest: ['boardServiceId'],
  youtube: ['title', 'categoryId'],
};

const DETAILS = ['detailsOffer', 'detailsEvent', 'detailsWhatsNew'] as const;

/** Only those that are given: others are not of the type that the edit names. */
function mergedDetails(old: ServiceMetadata, given: ServiceMetadata): ServiceMetadata {
  const entries = DETAILS.filter((name) => given[name]).map((name): [string, GoogleDetails] => [
    name,
    { ...old[name], ...given[name] },
  ]);
  return Object.fromEntries(entries);
}

function keptOf(service: Service, old: ServiceMetadata): ServiceMetadata {
  const entries = (kept[service] ?? []).map((name) => [name, old[name]]);
  return Object.fromEntries(entries);
}

/**
 * The metadata after an edit: what is given takes the place of all, but for what every post of the service must have,
 * which stays when it is left out. Of the details of a Google Business post that is each of their fields.
 */
export function mergedMetadata(
  service: Service,
  old: ServiceMetadata | null,
  given: ServiceMetadata | null,
): ServiceMetadata | null {
  if (!old || !given) return given ?? old;
  return { ...keptOf(service, old), ...given, ...mergedDetails(old, given) };
}
