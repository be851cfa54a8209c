import { PROGRAM_LANGUAGES } from '../../src/domain/new-calls/program-language.ts';
import { shownCalls } from '../../src/http/migrate/shown-calls.ts';
import { examplesFor } from '../../src/http/owners/move/examples.ts';

/** Readers copy the shown code. A program whose call never ends holds up all that comes after it. */

const SENDS = /curl |urlopen\(|fetch\(|file_get_contents\(|wp_remote_(?:request|post)\(/g;
const LIMITS = /--max-time 15|timeout=15|AbortSignal\.timeout\(15_000\)|'timeout' => 15/g;

const MODERN = { clientId: undefined, former: [], isConfidential: true, scopes: 'account:read' };
const NEW = { authorizeUrl: 'https://a.example/auth', tokenUrl: 'https://a.example/token' };

const countIn = (code: string, what: RegExp) => code.match(what)?.length ?? 0;

test('every call that pages show ends after a time', () => {
  const addresses = {
    oldApi: 'https://o.example',
    newApi: 'https://n.example',
    revocation: 'https://r.example',
  };
  const modern = { ...MODERN, ...NEW, apiUrl: 'https://n.example' };
  const values = { clientId: 'one', callback: undefined, publicUrl: 'https://o.example', modern };
  const shown = [shownCalls({ addresses, languages: PROGRAM_LANGUAGES }), examplesFor(values)];
  for (const code of shown.map((one) => JSON.stringify(one))) {
    expect(countIn(code, SENDS)).toBeGreaterThan(10);
    expect(countIn(code, LIMITS)).toBe(countIn(code, SENDS));
  }
});
