import { createPost } from './create.ts';
import { deletePost } from './delete.ts';
import { editPost } from './edit.ts';
import { postQueries } from './list.ts';

export const postOperations = { ...postQueries, createPost, editPost, deletePost };
