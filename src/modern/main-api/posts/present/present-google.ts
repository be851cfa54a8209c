import type { GoogleDetails, ServiceMetadata } from '../inputs.ts';

interface GooglePostKind {
  typename: string;
  details: 'detailsOffer' | 'detailsEvent' | 'detailsWhatsNew';
}

/** The details for each type of Google Business post [recorded]. */
const kinds: ReadonlyMap<string, GooglePostKind> = new Map<string, GooglePostKind>([
  ['offer', { typename: 'GoogleBusinessOfferMetaData', details: 'detailsOffer' }],
  ['event', { typename: 'GoogleBusinessEventMetaData', details: 'detailsEvent' }],
  ['whats_new', { typename: 'GoogleBusinessWhatsNewMetaData', details: 'detailsWhatsNew' }],
]);

export function googleDetailsOf(metadata: ServiceMetadata): GoogleDetails | null {
  const kind = kinds.get(metadata.type ?? '');
  return (kind && metadata[kind.details]) ?? null;
}

export function presentGoogleDetails(metadata: ServiceMetadata): object | null {
  const details = googleDetailsOf(metadata);
  if (!details) return null;
  return {
    ...details,
    __typename: kinds.get(metadata.type ?? '')?.typename,
    button: details.button ?? 'none',
  };
}
