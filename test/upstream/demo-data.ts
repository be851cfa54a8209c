import { demoChannels } from '../../src/modern/demo/channels.ts';
import { demoPeople } from '../../src/modern/demo/people.ts';
import type { MainApiData } from '../../src/modern/main-api/data.ts';

/** The records of the demo straight from memory: a main API over them needs no store. */
export const demoData: MainApiData = {
  findAccount: (accountId) => demoPeople.find(({ account }) => account.id === accountId)?.account,
  organizationsOf: (accountId) =>
    demoPeople.find(({ account }) => account.id === accountId)?.organizations ?? [],
  channelsOf: (organizationId) => demoChannels.filter((channel) => channel.organizationId === organizationId),
  findChannel: (channelId) => demoChannels.find(({ id }) => id === channelId),
  connectedAppsOf: () => [],
};

export const demoAccountId = demoPeople[0].account.id;
