import type { CallValue, CallFields } from '../../../domain/new-calls/call-pair.ts';
import { type CodeLanguage, indented, pathPieces } from './code-language.ts';

/** Calls in TypeScript for Node, without a library. */

const expression = (value: CallValue) =>
  typeof value === 'string' ? JSON.stringify(value) : `env.${value.env}!`;

function addressOf(path: string): string {
  const pieces = pathPieces(path);
  if (pieces.length === 1) return JSON.stringify(path);
  return `\`${pieces.map((piece, place) => (place % 2 === 0 ? piece : `\${env.${piece}}`)).join('')}\``;
}

const pairsOf = (form: CallFields) =>
  form.map(([name, value]) => `  [${JSON.stringify(name)}, ${expression(value)}],`).join('\n');

const queryOf = (query: string) =>
  query.includes('\n') ? `\`${indented(query, '  ')}\`` : JSON.stringify(query);

function variablesOf(variables: Readonly<Record<string, CallValue>>): string[] {
  const entries = Object.entries(variables).map(([name, value]) => `${name}: ${expression(value)}`);
  return entries.length === 0 ? [] : [`{ ${entries.join(', ')} }`];
}

/** Prints the whole answer at any depth. */
const shown = (call: string) => `console.dir(${call}, { depth: null });`;

export const typescript: CodeLanguage = {
  setUp: ({ oldApi, newApi }) => `import { env } from "node:process";

async function callOld(method: string, path: string, form?: string[][]) {
  const answer = await fetch(${JSON.stringify(oldApi)} + path, {
    method,
    headers: { Authorization: \`Bearer \${env.OLD_TOKEN}\` },
    body: form ? new URLSearchParams(form) : null,
    signal: AbortSignal.timeout(15_000),
  });
  return answer.json();
}

async function ask(query: string, variables = {}) {
  const answer = await fetch(${JSON.stringify(newApi)}, {
    method: "POST",
    headers: {
      Authorization: \`Bearer \${env.ACCESS_TOKEN}\`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(15_000),
  });
  return answer.json();
}`,
  old({ method, path, form }) {
    const fields = form ? `, [\n${pairsOf(form)}\n]` : '';
    return shown(`await callOld("${method}", ${addressOf(path)}${fields})`);
  },
  graphql({ query, variables }) {
    const given = [queryOf(query), ...variablesOf(variables)];
    if (given.length === 1) return shown(`await ask(${given.join('')})`);
    return shown(`await ask(\n  ${given.join(',\n  ')},\n)`);
  },
  revocation: (form, { revocation }) => `await fetch(${JSON.stringify(revocation)}, {
  method: "POST",
  body: new URLSearchParams([
  ${indented(pairsOf(form), '  ')}
  ]),
  signal: AbortSignal.timeout(15_000),
});`,
};
