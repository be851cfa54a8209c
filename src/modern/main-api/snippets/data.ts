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
  /** The snippets of an organization, oldest first. */
  list(organizationId: string): SnippetRecord[];
  find(snippetId: string): SnippetRecord | undefined;
  /** Writes no row and returns false when the organization already has `limit` snippets. */
  add(record: SnippetRecord, limit: number): boolean;
  /** Returns the changed snippet, or undefined when the snippet is deleted. An undefined field keeps the old value. */
  update(snippetId: string, changes: SnippetChanges, updatedAt: string): SnippetRecord | undefined;
  /** False when the snippet is already deleted. */
  remove(snippetId: string): boolean;
}
