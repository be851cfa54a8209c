import type { CallValue, CallFields } from '../../../domain/new-calls/call-pair.ts';
import { type CodeLanguage, indented, pathPieces } from './code-language.ts';

/** Calls in Python 3, without a library. A JSON string is a Python string too. */

const expression = (value: CallValue) =>
  typeof value === 'string' ? JSON.stringify(value) : `env["${value.env}"]`;

function addressOf(path: string): string {
  const pieces = pathPieces(path);
  if (pieces.length === 1) return JSON.stringify(path);
  return `f"${pieces.map((piece, place) => (place % 2 === 0 ? piece : `{env['${piece}']}`)).join('')}"`;
}

const pairsOf = (form: CallFields) =>
  form.map(([name, value]) => `    (${JSON.stringify(name)}, ${expression(value)}),`).join('\n');

const queryOf = (query: string) =>
  query.includes('\n') ? `"""${indented(query, '    ')}"""` : JSON.stringify(query);

function variablesOf(variables: Readonly<Record<string, CallValue>>): string[] {
  const entries = Object.entries(variables).map(([name, value]) => `"${name}": ${expression(value)}`);
  return entries.length === 0 ? [] : [`{${entries.join(', ')}}`];
}

export const python: CodeLanguage = {
  setUp: ({ oldApi, newApi }) => `import json
from os import environ as env
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen


def send(request):
    try:
        with urlopen(request, timeout=15) as answer:
            return json.load(answer)
    except HTTPError as refusal:
        return refusal.read().decode()


def call_old(method, path, form=None):
    request = Request(
        ${JSON.stringify(oldApi)} + path,
        urlencode(form).encode() if form else None,
        {"Authorization": "Bearer " + env["OLD_TOKEN"]},
        method=method,
    )
    return send(request)


def ask(query, variables={}):
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = Request(${JSON.stringify(newApi)}, body, {
        "Authorization": "Bearer " + env["ACCESS_TOKEN"],
        "Content-Type": "application/json",
    })
    return send(request)`,
  old({ method, path, form }) {
    const fields = form ? `, [\n${pairsOf(form)}\n]` : '';
    return `print(call_old("${method}", ${addressOf(path)}${fields}))`;
  },
  graphql({ query, variables }) {
    const given = [queryOf(query), ...variablesOf(variables)];
    if (given.length === 1) return `print(ask(${given.join('')}))`;
    return `print(ask(\n    ${given.join(',\n    ')},\n))`;
  },
  revocation: (form, { revocation }) =>
    `urlopen(${JSON.stringify(revocation)}, urlencode([\n${pairsOf(form)}\n]).encode(), timeout=15).close()`,
};
