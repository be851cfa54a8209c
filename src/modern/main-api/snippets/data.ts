export interface SnippetsData {}
