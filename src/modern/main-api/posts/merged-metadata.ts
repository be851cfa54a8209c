import type { Service } from '../directory.ts';
import type { GoogleDetails, ServiceMetadata } from './inputs.ts';

/** The fields that a new post must have and that an edit may leave out. */
const kept: Partial<Record<Service, readonly (keyof ServiceMetadata)[]>> = {
  pinterest: ['boardServiceId'],
  youtube: ['title', 'categoryId'],
};

const DETAILS = ['detailsOffer', 'detailsEvent', 'detailsWhatsNew'] as const;

/** Merges only the details in the edit: the other details do not fit the type that the edit names. */
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
 * The metadata after an edit. The given metadata replaces the old metadata. A field that every post of the service must
 * have keeps the old value when the edit leaves the field out. The details of a Google Business post keep every omitted
 * field.
 */
export function mergedMetadata(
  service: Service,
  old: ServiceMetadata | null,
  given: ServiceMetadata | null,
): ServiceMetadata | null {
  if (!old || !given) return given ?? old;
  return { ...keptOf(service, old), ...given, ...mergedDetails(old, given) };
}
