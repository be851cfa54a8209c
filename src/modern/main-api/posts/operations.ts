/**
 * The posts of the main API: turns the arguments of an operation into the record of a post, and records into answers.
 * The store owns the rows (store/posts/posts.ts); scope-check.ts and root.ts check the scopes. This folder never calls
 * a network.
 *
 * - Queries: list.ts (`posts`, `post`), with cursor.ts for the pages.
 * - Mutations: create.ts, edit.ts and delete.ts, each in one transaction. create.ts and edit.ts make a plan; plan.ts
 *   has the plan checked and sets the time of the post, or refuses (refusal.ts).
 * - Rules: requirements.ts (channel, tags, idea, room in the plan and on the day), rules.ts with annotations.ts
 *   (content for any service), networks.ts (content for one service) with the limits of ../networks.
 * - Times: timing.ts turns the wished time into a timing, queue.ts finds the free times of a posting schedule, and
 *   ../queue orders the posts of a queue.
 * - Shapes: inputs.ts has the inputs, merged-metadata.ts the metadata after an edit, data.ts the records.
 *   present/present.ts makes the output, with present-assets.ts, present-metadata.ts, present-google.ts and
 *   youtube-categories.ts for the parts.
 */
import { createPost } from './create.ts';
import { deletePost } from './delete.ts';
import { editPost } from './edit.ts';
import { postQueries } from './list.ts';

export const postOperations = { ...postQueries, createPost, editPost, deletePost };
