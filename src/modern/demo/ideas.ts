import type { Store } from '../store/store.ts';

export function seedIdeas(_store: Store): void {}
