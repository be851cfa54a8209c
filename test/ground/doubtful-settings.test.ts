import { doubtsAboutSettings } from '../../src/config/config.ts';

/** Names and values that are probably a mistake, and may be meant: `doctor` warns of them, and the start refuses nothing. */

const LOCAL = ['PORT', 'PUBLIC_URL', 'LEGACY_RATE_LIMIT'].map((name): [string, string] => [name, '3000']);

test.each<[Record<string, string>, string[]]>([
  [{ WORKER: '2' }, ['WORKER: is not read. Did you mean WORKERS?']],
  [{ WORKRES: '2' }, ['WORKRES: is not read. Did you mean WORKERS?']],
  [{ SMTP_HOST: 'x' }, ['SMTP_HOST: is not read. The bridge reads SMTP_URL']],
  [{ DATABASE_HOST: 'x' }, ['DATABASE_HOST: is not read. The bridge reads DATABASE_URL']],
  [
    { MODERN_TIMEOUT: '5', MODERN_API_URL: 'x' },
    [expect.stringContaining('MODERN_TIMEOUT: is not read') as string],
  ],
  [{ REMINDER_DAYS: '30,7,30' }, ['REMINDER_DAYS: names a day twice']],
  [
    { MODERN_SETTINGS_URL: 'http://x.example/settings' },
    ['MODERN_SETTINGS_URL: is not https, and people follow this link to sign in'],
  ],
  [{ MODERN_SETTINGS_URL: 'http://localhost:3001/settings' }, []],
  [
    { SERVICE_LANGUAGE: 'de' },
    [
      'SERVICE_LANGUAGE: pages and mails are written in English, and screen readers would read them as another language',
    ],
  ],
  [{ SERVICE_LANGUAGE: 'en-GB' }, []],
  [{ SERVICE_LANGUAGE: '' }, []],
  [{ SMTP_HOST: 'x', SMTP_URL: 'smtp://mail.example' }, []],
  [{ DATABASE_HOST: 'x', DATABASE_URL: 'sqlite:x.db' }, []],
  [{ WORKER: '1', WORKERS: '2' }, []],
  [{ VARDIR: 'x' }, ['VARDIR: is not read. Did you mean VAR_DIR?']],
  [{ VARDIR: 'x', VAR_DIR: 'y' }, ['VARDIR: is not read. Did you mean VAR_DIR?']],
  [Object.fromEntries(LOCAL), []],
  [
    {
      PATH: 'x',
      HOME: 'x',
      HOSTNAME: 'x',
      HOSTS: 'x',
      PORTS: 'x',
      PORTAGE_CONFIGROOT: 'x',
      LOGNAME: 'x',
      MAIL: 'x',
      NODE_OPTIONS: 'x',
      LOG_FORMAT: 'x',
      APP_ENV: 'x',
      PGHOST: 'x',
      BRIDGE_SERVICE_PORT: 'x',
      MODERN_SERVICE_HOST: 'x',
      MODERN_PORT_80_TCP: 'x',
      MODERN_PORT_80_TCP_ADDR: 'x',
    },
    [],
  ],
])('what may be meant for the bridge is a doubt, and refuses nothing: %j', (given, lines) => {
  expect(doubtsAboutSettings(given)).toEqual(lines);
});
