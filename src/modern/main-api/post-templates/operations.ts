/** Texts with blanks from which people write posts. Nothing else of the main API looks at them. */
import { createPostTemplate, deletePostTemplate, updatePostTemplate } from './change.ts';
import { postTemplate, postTemplates } from './list.ts';

export const postTemplateOperations = {
  postTemplate,
  postTemplates,
  createPostTemplate,
  updatePostTemplate,
  deletePostTemplate,
};
