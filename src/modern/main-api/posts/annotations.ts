import type { Rule } from '../../text-rules.ts';
import type { PostContent } from './data.ts';
import type { AnnotationInput } from './inputs.ts';

/** Where it begins and ends: Facebook gives both, LinkedIn the start and the length [recorded]. */
export const indicesOf = (annotation: AnnotationInput): number[] =>
  'entity' in annotation ? [annotation.start, annotation.start + annotation.length] : annotation.indices;

function liesIn(text: string, annotation: AnnotationInput): boolean {
  const [start = -1, end = -1, ...more] = indicesOf(annotation);
  return more.length === 0 && start >= 0 && start <= end && end <= text.length;
}

/** What stands for nothing in the text could not be shown; a sum beyond 32 bits would spoil every answer with its post. */
export const annotationRule = ({ text, metadata }: PostContent): Rule => [
  !(metadata?.annotations ?? []).every((annotation) => liesIn(text, annotation)),
  'Each annotation must begin and end within the text.',
];
