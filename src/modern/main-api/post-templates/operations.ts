/** Post templates: texts with blanks, from which people write posts. No other part of the main API reads templates. */
import { createPostTemplate, deletePostTemplate, updatePostTemplate } from './change.ts';
import { postTemplate, postTemplates } from './list.ts';

export const postTemplateOperations = {
  postTemplate,
  postTemplates,
  createPostTemplate,
  updatePostTemplate,
  deletePostTemplate,
};
