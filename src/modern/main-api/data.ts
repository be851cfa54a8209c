import type { DirectoryData } from './directory.ts';
import type { IdeasData } from './ideas/data.ts';
import type { PostTemplatesData } from './post-templates/data.ts';
import type { PostsData } from './posts/data.ts';
import type { SnippetsData } from './snippets/data.ts';

/** All data that the main API reads and writes. */
export interface MainApiData extends DirectoryData {
  posts: PostsData;
  postTemplates: PostTemplatesData;
  ideas: IdeasData;
  snippets: SnippetsData;
}
