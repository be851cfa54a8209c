import { readFileSync } from 'node:fs';
import { oldConfiguration } from '../../src/domain/translation/networks.ts';
import type { ChannelRecord } from '../../src/modern/main-api/directory.ts';
import { longestText } from '../../src/modern/main-api/networks/limits.ts';

/** The bridge's table of services and limits beside that of the embedded new API, which refuses what is longer. */

const SCHEMA = readFileSync('src/modern/main-api/schema/channel.graphql', 'utf8');
const SERVICES = /^enum Service \{([^}]*)\}/m.exec(SCHEMA)?.[1]?.match(/\w+/g) ?? [];

const told = oldConfiguration().services;

test('info/configuration has every service of the new API, and no other', () => {
  expect(SERVICES.length).toBeGreaterThan(5);
  expect(Object.keys(told).toSorted()).toEqual(SERVICES.toSorted());
});

test.each(SERVICES)('%s takes as many characters as info/configuration says', (service) => {
  const limits = Object.values(told[service]?.types ?? {}).map(
    (kind: { character_limit: number }) => kind.character_limit,
  );
  const channel = { service, metadata: null } as unknown as ChannelRecord;
  expect(new Set(limits)).toEqual(new Set([longestText(channel)]));
});
