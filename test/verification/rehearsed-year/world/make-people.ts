import type { Chance } from '../../shared/faults/chance.ts';
import type { Human, WorldApp } from './world.ts';

/** With and without changes of the clocks (also at midnight, and by half an hour), from both ends of the day. */
export const ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
  'America/Santiago',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'UTC',
] as const;

const padded = (n: number): string => String(n).padStart(4, '0');

function zoneFor(chance: Chance): string | null {
  if (chance.happens(0.03)) return null;
  // what the modern side says is text, and need not be a zone
  return chance.happens(0.01) ? 'Moon/Tycho' : chance.pick(ZONES);
}

/** Most have an account; some are known by their address alone, a few have no address at all. */
export function makeHumans(chance: Chance, count: number): Human[] {
  return Array.from({ length: count }, (_, n) => {
    const [id, email] = [`human-${padded(n)}`, `human-${padded(n)}@people.example`];
    if (n % 12 === 5) return { id, accountId: undefined, email, zone: null };
    const known = { id, accountId: `account-${padded(n)}`, zone: zoneFor(chance) };
    if (n % 50 === 7) return { ...known, email: undefined };
    return { ...known, email: chance.happens(0.1) ? `Human-${padded(n)}@People.example` : email };
  });
}

/** The first words of the names of apps. */
export const WORDS = ['Kestrel', 'Harbour', 'Lantern', 'Orchard', 'Quarry', 'Saffron', 'Thistle', 'Willow'];

function ownerFor(chance: Chance, humans: readonly Human[]): WorldApp['owner'] {
  if (chance.happens(0.05)) return undefined;
  const { id, accountId, email } = chance.pick(humans);
  if (accountId === undefined) return { human: id, by: 'email' };
  return { human: id, by: email !== undefined && chance.happens(0.15) ? 'email' : 'account' };
}

/** One for ten people, and a few at least. */
export function makeApps(chance: Chance, humans: readonly Human[]): WorldApp[] {
  return Array.from({ length: Math.max(5, Math.round(humans.length / 10)) }, (_, n) => ({
    clientId: `app-${padded(n)}`,
    // told apart by its number, so that a mail can be searched for it
    name: `${chance.pick(WORDS)}-${padded(n)}`,
    owner: ownerFor(chance, humans),
    contacts: Array.from(
      { length: chance.happens(0.4) ? chance.between(1, 2) : 0 },
      (_none, which) => `contact-${padded(n)}-${which}@apps.example`,
    ),
  }));
}
