import { DAY, dayByNine, HOUR, localTime, nameOfDay, nineOf } from '../world/calendar.ts';
import { BEGINNING, type Change } from '../world/world.ts';
import { keyOf } from './oracle-due.ts';
import {
  ADDRESS,
  begin,
  CALM,
  CONTACT,
  dayOfDate,
  nineBefore,
  RETIREMENT,
  stage,
  ZONE,
} from './small-year.ts';

const AWAY = { ...CALM, isAway: true };
const KILLED = { ...CALM, wasKilled: true };
const UNMARKED = { ...KILLED, unmarked: new Set(['one']) };
const REPEATED = { ...CALM, repeated: new Set(['one']) };
const change = (made: Change): Change => made;

describe('days and hours', () => {
  it('counts as people do, where clocks change, at half past, and at both ends of the day', () => {
    const at = Date.parse('2027-03-28T07:00:00Z');
    expect(localTime(at, ZONE)).toEqual({ day: Math.floor(at / DAY), minutes: 9 * 60 });
    const ends = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Australia/Lord_Howe', 'Asia/Kathmandu', ZONE];
    for (const zone of ends)
      for (let day = 20_800; day < 21_200; day += 3) {
        const nine = nineOf(day, zone);
        expect([day, zone, localTime(nine, zone)]).toEqual([day, zone, { day, minutes: 540 }]);
        expect([dayByNine(nine - 1, zone), dayByNine(nine, zone)]).toEqual([day - 1, day]);
      }
  });
});

describe('the oracle', () => {
  it('is content with each stage at nine of its day, once', () => {
    const { tick, names, oracle } = begin();
    for (const days of [90, 60, 30, 14, 7, 3, 1, 0]) {
      tick(nineBefore(days) - 1);
      tick(nineBefore(days), [{ keys: [stage(days)] }]);
      tick(nineBefore(days) + 4 * HOUR);
    }
    expect(names()).toEqual([]);
    expect([oracle.figures.due.size, oracle.figures.delivered]).toEqual([8, 8]);
  });

  it.each<[string, (year: ReturnType<typeof begin>) => void, string[]]>([
    ['misses what never comes', ({ tick }) => tick(nineBefore(60)), ['missing']],
    [
      'sees what comes a tick late',
      ({ tick }) => {
        tick(nineBefore(60));
        tick(nineBefore(60) + HOUR, [{ keys: [stage(60)] }]);
      },
      ['too late'],
    ],
    [
      'sees what comes before nine',
      ({ tick }) => tick(nineBefore(60) - 1, [{ keys: [stage(90)] }]),
      ['night'],
    ],
    [
      'sees a stage before its day, and one that is over',
      ({ tick }) => {
        tick(nineBefore(61), [{ keys: [stage(60)] }]);
        tick(nineBefore(30), [{ keys: [stage(60), stage(30)] }]);
      },
      ['not due', 'twice', 'missing'],
    ],
    [
      'sees what comes twice',
      ({ tick }) => {
        tick(nineBefore(60), [{ keys: [stage(60)] }]);
        tick(nineBefore(59), [{ keys: [stage(60)] }]);
      },
      ['twice'],
    ],
    [
      'sees two mails on one day',
      ({ tick }) => tick(nineBefore(60), [{ keys: [stage(60)] }, { keys: [] }]),
      ['second mail'],
    ],
    [
      'sees a mail to somebody else',
      ({ tick }) => tick(nineBefore(60), [{ keys: [stage(60)], to: CONTACT }]),
      ['wrong address'],
    ],
    [
      'sees one given up who can be reached',
      ({ tick }) => tick(nineBefore(60), [{ keys: [stage(60)], to: undefined }]),
      ['wrongly listed'],
    ],
    [
      'sees a mail after the person acted',
      ({ tick, oracle }) => {
        oracle.apply(change({ kind: 'act', at: 0, human: 'one', app: 'app' }));
        tick(nineBefore(60), [{ keys: [stage(60)] }]);
      },
      ['not due'],
    ],
  ])('%s', (_name, play, expected) => {
    const year = begin();
    play(year);
    expect(year.names()).toEqual(expected);
  });

  it('asks for the latest stage alone after days without a tick', () => {
    const { tick, names } = begin();
    tick(nineBefore(60), [{ keys: [stage(60)] }]);
    tick(nineBefore(2), [{ keys: [stage(3)] }]);
    expect(names()).toEqual([]);
  });

  it('asks for one notice of what is not used, and for the next stage once it wakes, at once', () => {
    const { tick, names, oracle } = begin({}, { isUsed: false });
    tick(nineBefore(60), [{ keys: [keyOf('app', 'holder', 'unused', '')] }]);
    tick(nineBefore(30));
    const wokenAt = nineBefore(20) - 8 * HOUR;
    oracle.state.use('token', wokenAt);
    tick(wokenAt + HOUR, [{ keys: [stage(30), keyOf('app', 'holder', 'woken', String(wokenAt))] }]);
    expect(names()).toEqual([]);
  });

  it('wants a death told on its very day, and not of one who acted', () => {
    const { tick, names, oracle } = begin();
    tick(nineBefore(60), [{ keys: [stage(60)] }]);
    oracle.apply({ kind: 'act', at: nineBefore(59), human: 'one', app: 'app' });
    tick(nineBefore(30));
    const at = nineBefore(20) - 3 * HOUR;
    oracle.apply({ kind: 'die', at, human: 'one', app: 'app', cause: 'lost' });
    tick(at + HOUR, [{ keys: [stage(30), keyOf('app', 'holder', 'died', String(at))] }]);
    expect(names()).toEqual([]);
  });

  it('wants no death told after the sunset, when no connection mends it', () => {
    const sunset = RETIREMENT + 20 * DAY;
    for (const [days, wanted] of [
      [-10, ['missing']],
      [10, []],
    ] as const) {
      const { tick, names, oracle } = begin();
      oracle.apply({ kind: 'date', at: BEGINNING, name: 'sunset', value: sunset });
      const at = sunset + days * DAY;
      oracle.apply({ kind: 'act', at: at - DAY, human: 'one', app: 'app' });
      oracle.apply({ kind: 'die', at, human: 'one', app: 'app', cause: 'lost' });
      const calendar =
        days < 0 ? [keyOf('app', 'holder', '14', `sunset:${nameOfDay(Math.floor(sunset / DAY))}`)] : [];
      tick(at + HOUR, [{ keys: calendar }]);
      expect(names()).toEqual(wanted);
    }
  });

  it('excuses what the mail server holds up for some hours, and no longer', () => {
    const { tick, names } = begin();
    tick(nineBefore(60), [], AWAY);
    tick(nineBefore(60) + 4 * HOUR);
    tick(nineBefore(60) + 6 * HOUR, [{ keys: [stage(60)] }]);
    tick(nineBefore(30), [], AWAY);
    tick(nineBefore(30) + 6 * HOUR);
    expect(names()).toEqual(['missing']);
  });

  it('lets a mail that came in the tick of a kill come again, as the mail of that day', () => {
    const { tick, names } = begin();
    tick(nineBefore(60), [{ keys: [stage(60)] }], KILLED);
    tick(nineBefore(30), [], REPEATED);
    tick(nineBefore(30) + HOUR);
    tick(nineBefore(29), [{ keys: [stage(30)] }]);
    expect(names()).toEqual([]);
  });

  it('waits one tick for a stage that comes while the mail before it is in the hands of a killed machine', () => {
    const { tick, names } = begin();
    tick(nineBefore(60), [{ keys: [stage(60)] }], UNMARKED);
    tick(nineBefore(30));
    tick(nineBefore(30) + HOUR, [{ keys: [stage(30)] }]);
    tick(nineBefore(14), [{ keys: [stage(14)] }], UNMARKED);
    tick(nineBefore(7));
    tick(nineBefore(7) + HOUR);
    expect(names()).toEqual(['missing']);
  });

  it('lets nobody be woken by what was held up until the night', () => {
    const { tick, names } = begin();
    tick(nineBefore(60) + 12 * HOUR, [], AWAY);
    tick(nineBefore(60) + 18 * HOUR);
    tick(nineBefore(59), [{ keys: [stage(60)] }]);
    expect(names()).toEqual([]);
  });

  it('has those listed whose address takes nothing, and for an owner the contact told', () => {
    const apps = [
      {
        clientId: 'app',
        name: 'Kestrel-0001',
        owner: { human: 'one', by: 'account' as const },
        contacts: [CONTACT],
      },
    ];
    const { tick, names } = begin({ apps, refused: new Map([[ADDRESS, 0]]) });
    const asOwner = keyOf('app', 'owner', '60', `retirement:${nameOfDay(dayOfDate)}`);
    tick(nineBefore(60), [
      { keys: [asOwner], to: CONTACT },
      { keys: [stage(60)], to: undefined },
    ]);
    expect(names()).toEqual([]);
  });
});
