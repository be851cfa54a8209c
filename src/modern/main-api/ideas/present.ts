import { withColorName } from '../tag-colors.ts';
import type { IdeaRecord } from './data.ts';

/** Makes the schema's type `Idea` from a record. */
export const presentIdea = ({ content, ...idea }: IdeaRecord) => ({
  ...idea,
  content: { ...content, tags: content.tags.map(withColorName) },
});
