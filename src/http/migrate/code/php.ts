import type { CallValue, CallFields } from '../../../domain/new-calls/call-pair.ts';
import { byName, type CodeLanguage, indented, pathPieces } from './code-language.ts';

/** Calls in PHP, without a library or an extension. */

/** In single quotes. There only a backslash and a single quote have a meaning. */
export const phpText = (text: string) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;

const expression = (value: CallValue) =>
  typeof value === 'string' ? phpText(value) : `getenv('${value.env}')`;

function addressOf(path: string): string {
  const pieces = pathPieces(path).map((piece, place) =>
    place % 2 === 0 ? phpText(piece) : `getenv('${piece}')`,
  );
  return pieces.filter((piece) => piece !== "''").join(' . ');
}

/** PHP sends a list as `name[0]`, which means the same as `name[]` to the reader of the form. */
function arrayOf(form: CallFields): string {
  const entries = [...byName(form)].map(([name, values]) => {
    const isList = name.endsWith('[]') && !name.includes('][');
    const texts = values.map(expression).join(', ');
    return isList ? `    ${phpText(name.slice(0, -2))} => [${texts}],` : `    ${phpText(name)} => ${texts},`;
  });
  return `[\n${entries.join('\n')}\n]`;
}

function variablesOf(variables: Readonly<Record<string, CallValue>>): string[] {
  const entries = Object.entries(variables).map(([name, value]) => `'${name}' => ${expression(value)}`);
  return entries.length === 0 ? [] : [`[${entries.join(', ')}]`];
}

const FORM_TYPE = "'Content-Type: application/x-www-form-urlencoded'";

export const php: CodeLanguage = {
  setUp: ({ oldApi, newApi, revocation }) => `<?php
function send(string $method, string $address, array $headers, string $body)
{
    $http = [
        'method' => $method,
        'header' => $headers,
        'content' => $body,
        'timeout' => 15,
        'ignore_errors' => true,
    ];
    $answer = file_get_contents($address, false, stream_context_create(['http' => $http]));
    return json_decode($answer, true);
}

function callOld(string $method, string $path, array $form = [])
{
    return send($method, ${phpText(oldApi)} . $path, [
        'Authorization: Bearer ' . getenv('OLD_TOKEN'),
        ${FORM_TYPE},
    ], http_build_query($form));
}

function ask(string $query, array $variables = [])
{
    return send('POST', ${phpText(newApi)}, [
        'Authorization: Bearer ' . getenv('ACCESS_TOKEN'),
        'Content-Type: application/json',
    ], json_encode(['query' => $query, 'variables' => (object) $variables]));
}

function revoke(array $form)
{
    return send('POST', ${phpText(revocation)}, [${FORM_TYPE}], http_build_query($form));
}`,
  old({ method, path, form }) {
    const fields = form ? `, ${arrayOf(form)}` : '';
    return `print_r(callOld('${method}', ${addressOf(path)}${fields}));`;
  },
  graphql({ query, variables }) {
    const given = [phpText(indented(query, '    ')), ...variablesOf(variables)];
    if (given.length === 1) return `print_r(ask(${given.join('')}));`;
    return `print_r(ask(\n    ${given.join(',\n    ')},\n));`;
  },
  revocation: (form) => `revoke(${arrayOf(form)});`,
};
