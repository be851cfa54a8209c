import PostalMime from 'postal-mime';
import { DANA } from '../../owners/support/people.ts';
import type { SmtpDoor } from '../../support/servers/smtp-server.ts';
import type { System } from '../../support/bridge/system.ts';
import { HOSTILE, type Hostility } from './hostile-names.ts';
import { BY_EMAIL, letterTo, MAIL_ID, toHolder, wordsIn } from './letters.ts';

/** A chapter of letter.test.ts: names are anybody's text (docs/threats.md F110). */

const SHOWN: Record<Hostility, string | RegExp> = {
  'a header': /^Report Bcc: everybody @ evil\. example b.*…$/,
  'a bare line feed': 'Report X-Evil: 1',
  markup: /^<script>alert\(1\)<\/script><img src=x one.*…$/,
  'a turned text': 'Report gnp.\u2060exe isolate',
  'hidden letters': 'Report',
  'a long text': /^(Report ){5}Repo…$/,
  'one long word': `${'W'.repeat(39)}…`,
  'piled marks': /^Ź\u0301{1,3}algo$/,
  pictures: '👩‍💻🚀 Report 🏳️‍🌈',
  'a lone half': 'Report tool',
  'an address': 'https :// evil. example/login?x=1',
  'a mail address': 'bob @ evil. example',
  'a bare domain': 'Pay at evil-login.\u2060com now',
  'a domain in capitals': 'EVIL.\u2060NET or xn--e1a.\u2060co.\u2060uk',
  'a foreign domain': 'пример.\u2060рф, evil。\u2060com',
  'a script': 'Chart.js, api.rb 2.0 in v1.2.',
  'a domain like a script': 'chart.\u2060js.\u2060org evil.json.',
  'quotes alone': /^[0-9a-f]{24}$/,
  'right to left': '\u2068כלי דוחות 2\u2069',
  'a template': '<%= it.\u2060subject %> ${1+1} {{x}}',
};

export function hostileNames({ system, smtp }: { system: () => System; smtp: () => SmtpDoor }) {
  test.each(Object.keys(HOSTILE) as Hostility[])(
    'a name that is %s stays a name, through a real mail server',
    async (kind) => {
      const name = HOSTILE[kind];
      const made = await letterTo(system(), BY_EMAIL, [toHolder({ ...system().app, name })]);
      const shown = /^“(.*)” stops working in 14 days \(1 February 2027\)$/u.exec(made.subject)?.[1];
      expect(shown).toEqual(
        typeof SHOWN[kind] === 'string' ? SHOWN[kind] : expect.stringMatching(SHOWN[kind]),
      );
      // A pair around a whole name keeps it from turning the sentence around.
      const outside = (made.subject + made.text.replaceAll('\n', '')).replaceAll(
        /\u2068([^\u2068\u2069]*)\u2069/g,
        '$1',
      );
      expect(outside).not.toMatch(
        /[\p{Cc}\u200B\u200C\u200E\u200F\u202A-\u202E\u2061-\u2069\uFEFF\u2028\u2029]/u,
      );
      expect(made.html).not.toMatch(/<script|<img|onerror=alert\(1\)>/);
      await system().bridge.context.mailer.send({
        ...made,
        to: DANA.login,
        sender: 'grantbridge',
        messageId: MAIL_ID,
      });
      const mail = await PostalMime.parse(smtp().mailTo(DANA.login).raw);
      expect(mail.subject).toBe(made.subject);
      expect(mail.bcc ?? []).toEqual([]);
      expect(smtp().mailTo(DANA.login).to).toEqual([DANA.login]);
      expect(mail.headers.filter(({ key }) => /^(x-evil|bcc|cc)$/.test(key))).toEqual([]);
      expect(mail.text?.replace(/\r?\n/g, '\n').trim()).toBe(made.text.trim());
      expect(wordsIn(mail.html ?? '')).toContain(`${shown} Stops working`);
    },
  );
}
