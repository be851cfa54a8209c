import type { ExampleValues } from './examples.ts';

/** The variables that a reader sets before running the examples. */

interface Variable {
  name: string;
  /** The meaning of the variable, and where to find its value. */
  is: string;
}

type AppValues = Pick<ExampleValues, 'callback' | 'modern'>;

function takerVariables(former: readonly string[]): Variable[] {
  return [
    {
      name: 'TAKING_CLIENT_ID',
      is: `For the hand-over: the id of the client that the connection was made with, such as ${former.join(' or ')}.`,
    },
    {
      name: 'TAKING_CLIENT_SECRET',
      is: 'The secret of that client; for a public client the secret of this app here.',
    },
  ];
}

/** The variables for which the app has no value of its own, in the order in which they are needed. */
export function variablesOf({ callback, modern }: AppValues): Variable[] {
  const own = 'of the app’s own client at the new API';
  return [
    ...(callback === undefined ? [{ name: 'CALLBACK', is: 'The address to which people come back.' }] : []),
    { name: 'CLIENT_SECRET', is: 'The secret of this app here, shown once when it was made.' },
    ...(modern.clientId === undefined ? [{ name: 'MODERN_CLIENT_ID', is: `The id ${own}.` }] : []),
    ...(modern.isConfidential ? [{ name: 'MODERN_CLIENT_SECRET', is: `The secret ${own}.` }] : []),
    { name: 'CODE', is: 'The code with which the person comes back to the callback.' },
    { name: 'VERIFIER', is: 'What the first new step prints; keep it until the person is back.' },
    {
      name: 'ACCESS_TOKEN',
      is: 'From the answer to the exchange of the code: of the old API or of the new one.',
    },
    { name: 'REFRESH_TOKEN', is: 'The last one that the new API gave.' },
    { name: 'OLD_TOKEN', is: 'For the hand-over: an old token that the app holds for a person.' },
    ...(modern.former.length === 0 ? [] : takerVariables(modern.former)),
  ];
}
