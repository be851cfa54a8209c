import type { Store } from '../store/store.ts';

export function seedPosts(_store: Store): void {}
