import type { Store } from '../store/store.ts';

export function seedSnippets(_store: Store): void {}
