import type { Scope } from '../../scopes.ts';

interface Operation {
  /**
   * The scope that an access token needs. The real service does not publish the scope of each operation: all are
   * inferred.
   */
  scope: Scope;
  /** The member of a mutation's payload union for a failure on our side. */
  failure?: 'UnexpectedError' | 'VoidMutationError';
  /** Only personal API keys may call the operation. An app may not, whatever the scopes of the app [recorded]. */
  keysOnly?: true;
}

/**
 * The scope of every root field of the schema. No other place maps operations to scopes. root.ts refuses to start when
 * this table and the schema differ.
 *
 * A scope opens a root field with all fields below. The real service serves the channel and the author as parts of a
 * post, and therefore posts:read shows the channel and the author without account:read. [inferred]
 */
export const operations = {
  account: { scope: 'account:read' },
  channels: { scope: 'account:read' },
  channel: { scope: 'account:read' },
  updateAccount: { scope: 'account:write', failure: 'UnexpectedError' },
  ideas: { scope: 'ideas:read' },
  ideaGroups: { scope: 'ideas:read' },
  createIdea: { scope: 'ideas:write', failure: 'UnexpectedError' },
  snippets: { scope: 'snippets:read' },
  snippet: { scope: 'snippets:read' },
  createSnippet: { scope: 'snippets:write', failure: 'UnexpectedError' },
  updateSnippet: { scope: 'snippets:write', failure: 'UnexpectedError' },
  deleteSnippet: { scope: 'snippets:write', failure: 'VoidMutationError' },
  posts: { scope: 'posts:read' },
  dailyPostingLimits: { scope: 'posts:read' },
  post: { scope: 'posts:read' },
  aggregatedPostMetrics: { scope: 'posts:read', keysOnly: true },
  createPost: { scope: 'posts:write', failure: 'UnexpectedError' },
  editPost: { scope: 'posts:write', failure: 'UnexpectedError' },
  deletePost: { scope: 'posts:write', failure: 'VoidMutationError' },
  movePostInQueue: { scope: 'posts:write', failure: 'VoidMutationError' },
  postTemplate: { scope: 'posts:read' },
  postTemplates: { scope: 'posts:read' },
  createPostTemplate: { scope: 'posts:write', failure: 'VoidMutationError' },
  updatePostTemplate: { scope: 'posts:write', failure: 'VoidMutationError' },
  deletePostTemplate: { scope: 'posts:write', failure: 'VoidMutationError' },
} as const satisfies Record<string, Operation>;
