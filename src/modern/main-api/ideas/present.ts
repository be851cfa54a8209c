import { withColorName } from '../tag-colors.ts';
import type { IdeaRecord } from './data.ts';

/** The idea as the schema's type `Idea` has it. */
export const presentIdea = ({ content, ...idea }: IdeaRecord) => ({
  ...idea,
  content: { ...content, tags: content.tags.map(withColorName) },
});
