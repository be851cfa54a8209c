/**
 * The people who hold tokens and own apps in the demo. The first two can sign in at the embedded new API; the rest
 * exist only as names.
 */

interface DemoPerson {
  accountId: string;
  name: string;
  email: string;
  timezone: string;
}

const person = (last: string, [name, email]: [string, string], timezone = 'Europe/Berlin'): DemoPerson => ({
  accountId: `5e1f0c9a7b3d4e2f8a6c1d${last}`,
  name,
  email,
  timezone,
});

/** Keyed by the name that the lists of tokens use. */
export const DEMO_PEOPLE = {
  dana: person('01', ['Dana Demo', 'demo@grantbridge.example']),
  sam: person('02', ['Sam Second', 'second@grantbridge.example'], 'America/New_York'),
  aisha: person('a1', ['Aisha Rahman', 'aisha@courier.example'], 'Europe/London'),
  ben: person('a2', ['Ben Okafor', 'ben@okafor.example'], 'Africa/Lagos'),
  chloe: person('a3', ['Chloé Laurent', 'chloe@atelier.example'], 'Europe/Paris'),
  jonas: person('a4', ['Jonas Lindqvist', 'jonas@lindqvist.example'], 'Europe/Stockholm'),
  lena: person('a5', ['Lena Fischer', 'lena@fischer.example']),
  mira: person('a6', ['Mira Novak', 'mira@novak.example'], 'Europe/Prague'),
  nadia: person('a7', ['Nadia Benali', 'nadia@benali.example'], 'Africa/Casablanca'),
  oskar: person('a8', ['Oskar Wójcik', 'oskar@wojcik.example'], 'Europe/Warsaw'),
  priya: person('a9', ['Priya Raman', 'priya@raman.example'], 'Asia/Kolkata'),
  tom: person('aa', ['Tom Becker', 'tom@closed-shop.example']),
} as const;

export type DemoName = keyof typeof DEMO_PEOPLE;
