import type { DemoName } from './people.ts';

/** The apps beside the demo integration. They look as if an import had brought them. */

export interface DemoApp {
  clientId: string;
  name: string;
  source: 'imported' | 'observed';
  /** Undefined for an observed app, because nobody registered the app. */
  owner: DemoName | undefined;
  callback: string | undefined;
  contacts: readonly string[];
  /** The app's own client at the new API, for an app whose tokens have all moved to that client. */
  modernClientId?: string;
}

const app = (last: string, described: Omit<DemoApp, 'clientId'>): DemoApp => ({
  clientId: `4e9680c0512f7ed3220000${last}`,
  ...described,
});

export const NEWS = app('b1', {
  name: 'Bakery news',
  source: 'imported',
  owner: 'dana',
  callback: 'https://news.bakery.example/oauth/callback',
  contacts: ['dev@bakery.example'],
});

export const CALENDAR = app('b2', {
  name: 'Club calendar',
  source: 'imported',
  owner: 'dana',
  callback: 'https://calendar.runners.example/connect',
  contacts: [],
  modernClientId: 'club-calendar',
});

export const DESK = app('b3', {
  name: 'Ticket desk',
  source: 'imported',
  owner: 'sam',
  callback: 'https://tickets.records.example/callback',
  contacts: ['ops@records.example', 'helpdesk@records.example'],
});

export const CAMPAIGN = app('b4', {
  name: 'Autumn campaign',
  source: 'imported',
  owner: 'sam',
  callback: 'https://campaign.records.example/callback',
  contacts: [],
});

export const UNIDENTIFIED = app('bf', {
  name: 'unidentified program: python-requests',
  source: 'observed',
  owner: undefined,
  callback: undefined,
  contacts: [],
});

export const DEMO_APPS: readonly DemoApp[] = [NEWS, CALENDAR, DESK, CAMPAIGN, UNIDENTIFIED];
