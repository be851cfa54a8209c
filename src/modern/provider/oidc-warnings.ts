/**
 * oidc-provider writes notices to the console while it is loaded and constructed. This module must be evaluated before
 * it (see oidc.ts); it takes those lines, and only those, off the console and keeps them for the logger.
 */
const kept: string[] = [];
let write: ((line: string) => void) | undefined;

function capture(line: string): void {
  if (write) write(line);
  else kept.push(line);
}

for (const level of ['warn', 'info'] as const) {
  const original = Reflect.get(console, level) as (...values: unknown[]) => void;
  Reflect.set(console, level, (...values: unknown[]) => {
    const [first] = values;
    if (typeof first === 'string' && first.includes('oidc-provider')) capture(first);
    else original.apply(console, values);
  });
}

/** Sends what was kept, and every later line, to `writer`. */
export function onOidcWarning(writer: (line: string) => void): void {
  write = writer;
  for (const line of kept.splice(0)) writer(line);
}
