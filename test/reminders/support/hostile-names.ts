/** Names of apps that try to be more than a name (docs/threats.md F110). */

export const HOSTILE = {
  'a header': 'Report\r\nBcc: everybody@evil.example\r\n\r\nbody',
  'a bare line feed': 'Report\nX-Evil: 1\u2028\u2029\u0085',
  markup: '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&amp;',
  'a turned text': 'Report \u202Egnp.exe\u202C \u2066isolate\u2069',
  'hidden letters': 'Re\u200Bpo\u200Cr\uFEFFt\u2060\u00AD\u{E0041}\u3164',
  'a long text': 'Report '.repeat(1500),
  'one long word': 'W'.repeat(10_000),
  'piled marks': `Z${'\u0301'.repeat(500)}algo`,
  pictures: '👩‍💻🚀 Report 🏳️‍🌈',
  'a lone half': 'Report \uD83D tool',
  'an address': 'https://evil.example/login?x=1',
  'a mail address': 'bob@evil.example',
  'a bare domain': 'Pay at evil-login.com now',
  'a domain in capitals': 'EVIL.NET or xn--e1a.co.uk',
  'a foreign domain': 'пример.рф, evil。com',
  'a script': 'Chart.js, api.rb 2.0 in v1.2.',
  'a domain like a script': 'chart.js.org evil.json.',
  'quotes alone': '“"”',
  'right to left': 'כלי דוחות 2',
  'a template': '<%= it.subject %> ${1+1} {{x}}',
};

/** What a test puts into a name. */
export type Hostility = keyof typeof HOSTILE;
