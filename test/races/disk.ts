import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SystemCall } from './system-calls.ts';

type Change = Extract<SystemCall, { kind: 'write' | 'truncate' }>;

function changed(content: Buffer, change: Change): Buffer {
  if (change.kind === 'truncate') {
    return Buffer.concat([content.subarray(0, change.size)], change.size);
  }
  const end = change.offset + change.data.length;
  const next = Buffer.concat([content], Math.max(content.length, end));
  change.data.copy(next, change.offset);
  return next;
}

/** A disk that keeps what was synced; of what was written later it keeps any part when the power goes. */
export class Disk {
  readonly #synced = new Map<string, Buffer>();
  readonly #later = new Map<string, Change[]>();

  /** Begins with the files as they are, all synced. */
  constructor(files: readonly string[]) {
    for (const file of files) this.#synced.set(file, existsSync(file) ? readFileSync(file) : Buffer.alloc(0));
  }

  take(call: SystemCall): void {
    if (call.kind === 'sent') return;
    const later = this.#later.get(call.file) ?? [];
    if (call.kind !== 'sync') return void this.#later.set(call.file, [...later, call]);
    this.#synced.set(call.file, later.reduce(changed, this.#contentOf(call.file)));
    this.#later.delete(call.file);
  }

  /** Whether anything would be lost now. */
  isSynced(): boolean {
    return this.#later.size === 0;
  }

  /** Writes the files into a folder as a power cut would leave them now; `keeps` decides for each later change. */
  cutInto(folder: string, keeps: (change: Change) => boolean): void {
    for (const file of this.#synced.keys()) {
      const kept = (this.#later.get(file) ?? []).filter(keeps);
      writeFileSync(join(folder, basename(file)), kept.reduce(changed, this.#contentOf(file)));
    }
  }

  #contentOf(file: string): Buffer {
    return this.#synced.get(file) ?? Buffer.alloc(0);
  }
}
