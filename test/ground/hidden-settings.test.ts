import { complaints, type Given, PRODUCTION, UPSTREAM } from './complaints.ts';

/** One start tells every problem. A wrong setting counts as unset, and must not hide what is wrong beside it. */

test.each<[Given, string[]]>([
  [
    { MODERN_AUTH_URL: 'auth.example' },
    ['MODERN_AUTH_URL: must be an http', 'MODERN_API_URL, MODERN_CLIENT_ID: must be set too'],
  ],
  [
    { ...PRODUCTION, MODERN_AUTH_URL: 'auth.example', MODERN_CLIENT_ID: '' },
    ['MODERN_AUTH_URL: must be an http', 'MODERN_CLIENT_ID: must be set in production'],
  ],
  [{ TLS_CERT_FILE: 'none.pem' }, ['TLS_CERT_FILE: cannot be read', 'TLS_KEY_FILE: must be set too']],
  [{ SMTP_URL: 'mail.example' }, ['SMTP_URL: must be smtp://', 'MAIL_FROM: must be set for a mail server']],
  [
    { MODERN_AUTH_URL: ' ' },
    ['MODERN_AUTH_URL: holds only blanks', 'MODERN_API_URL, MODERN_CLIENT_ID: must be set too'],
  ],
  [
    { ...UPSTREAM, MODERN_API_URL: ' ', MODERN_CLIENT_ID: '' },
    ['MODERN_API_URL: holds only blanks', 'MODERN_CLIENT_ID: must be set too'],
  ],
  [
    { ...PRODUCTION, MODERN_AUTH_URL: '', MODERN_API_URL: '', MODERN_CLIENT_ID: ' ' },
    ['MODERN_CLIENT_ID: holds only blanks', 'MODERN_AUTH_URL, MODERN_API_URL: must be set in production'],
  ],
  [{ TLS_CERT_FILE: ' ' }, ['TLS_CERT_FILE: holds only blanks', 'TLS_KEY_FILE: must be set too']],
  [{ TLS_KEY_FILE: ' ' }, ['TLS_KEY_FILE: holds only blanks', 'TLS_CERT_FILE: must be set too']],
  [{ SMTP_URL: ' ' }, ['SMTP_URL: holds only blanks', 'MAIL_FROM: must be set for a mail server']],
  [
    { PORT: ' ', MODERN_PORT: '4000', DEMO_PORT: '4000' },
    [
      'PORT: holds only blanks',
      'PORT, MODERN_PORT, DEMO_PORT, DEMO_OLD_API_PORT: must be four different ports',
    ],
  ],
  // A path may hold the name of a setting.
  [
    { ...PRODUCTION, PORT: 'x', KEYS_FILE: '/srv/PORT/keys.json' },
    ['PORT: must be a whole number', 'KEYS_FILE: /srv/PORT/keys.json is missing or cannot be read'],
  ],
  [
    { ...PRODUCTION, HOST: 'x:1', KEYS_FILE: '', VAR_DIR: '/srv/HOST' },
    ['HOST: must be a host name', 'VAR_DIR, KEYS_FILE: /srv/HOST/keys.json is missing'],
  ],
])('a wrong value does not hide what else is missing: %j', (given, lines) => {
  expect(complaints(given)).toEqual(lines.map((line) => expect.stringContaining(line) as string));
});
