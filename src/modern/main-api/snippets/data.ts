export interface SnippetRecord {
  id: string;
  organizationId: string;
  name: string;
  text: string;
  createdAt: string;
  updatedAt: string;
}

interface SnippetChanges {
  name?: string | undefined;
  text?: string | undefined;
}

export interface SnippetsData {
  /** Oldest first. */
  list(organizationId: string): SnippetRecord[];
  find(snippetId: string): SnippetRecord | undefined;
  /** False, with nothing written, when the organization has `limit` snippets already. */
  add(record: SnippetRecord, limit: number): boolean;
  /** The snippet as it then is; what is undefined stays. */
  update(snippetId: string, changes: SnippetChanges, updatedAt: string): SnippetRecord | undefined;
  /** False when it is gone already. */
  remove(snippetId: string): boolean;
}
