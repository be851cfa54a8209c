import type { TextRule } from '../../text-rules.ts';
import type { PostContent } from './data.ts';
import type { AnnotationInput } from './inputs.ts';

/** The start and the end of an annotation. Facebook gives start and end; LinkedIn gives start and length [recorded]. */
export const indicesOf = (annotation: AnnotationInput): number[] =>
  'entity' in annotation ? [annotation.start, annotation.start + annotation.length] : annotation.indices;

function liesIn(text: string, annotation: AnnotationInput): boolean {
  const [start = -1, end = -1, ...more] = indicesOf(annotation);
  return more.length === 0 && start >= 0 && start <= end && end <= text.length;
}

/**
 * Each annotation must lie within the text, because an annotation outside the text cannot be shown. A sum of start and
 * length beyond 32 bits would break every answer that holds the post.
 */
export const annotationRule = ({ text, metadata }: PostContent): TextRule => [
  !(metadata?.annotations ?? []).every((annotation) => liesIn(text, annotation)),
  'Each annotation must begin and end within the text.',
];
