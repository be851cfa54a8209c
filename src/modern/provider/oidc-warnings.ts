/**
 * oidc-provider writes notices to the console while the package is loaded and constructed. This module must be
 * evaluated before oidc-provider (see oidc.ts). The module takes only these lines off the console and keeps the lines
 * for the logger.
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

/** Sends the kept lines, and every later line, to `writer`. */
export function onOidcWarning(writer: (line: string) => void): void {
  write = writer;
  for (const line of kept.splice(0)) writer(line);
}
