import type { AccountRecord, OrganizationLimits, OrganizationRecord } from '../main-api/directory.ts';
import { BAKERY, RECORDS, RUNNERS } from './organizations.ts';

interface DemoPerson {
  account: AccountRecord;
  password: string;
  /**
   * The hash of `password`, which is no secret. The hash is written here because hashing would delay the first start.
   */
  passwordHash: string;
  organizations: OrganizationRecord[];
}

// The real service has a free plan and a paid plan with such limits. The other numbers of the demo are made up.
const freePlan: OrganizationLimits = {
  channels: 3,
  members: 1,
  scheduledPosts: 10,
  scheduledThreadsPerChannel: 10,
  scheduledStoriesPerChannel: 10,
  generateContent: 50,
  tags: 3,
  ideas: 100,
  ideaGroups: 3,
  savedReplies: 3,
  postTemplates: 3,
};

const paidPlan: OrganizationLimits = {
  ...freePlan,
  channels: 25,
  members: 10,
  scheduledPosts: 5000,
  ideas: 5000,
  tags: 250,
  ideaGroups: 100,
  postTemplates: 100,
};

const dana: DemoPerson = {
  password: 'grantbridge-demo',
  passwordHash: 'scrypt$15$8$1$OMNyT8Fi2mxW3GR74PTPtw$hkqX5iNX5XC44y2lCVK9ETKQmMJ6z1syabNQ7Lx9-Jg',
  account: {
    id: '5e1f0c9a7b3d4e2f8a6c1d01',
    email: 'demo@grantbridge.example',
    backupEmail: null,
    name: 'Dana Demo',
    avatar: 'https://images.grantbridge.example/accounts/dana.png',
    timezone: 'Europe/Berlin',
    createdAt: '2016-04-11T08:12:31.204Z',
    preferences: { timeFormat: '24', startOfWeek: 'monday', defaultScheduleOption: 'Queue' },
  },
  organizations: [
    {
      id: BAKERY,
      name: 'Dana’s Bakery',
      ownerEmail: 'demo@grantbridge.example',
      members: { totalCount: 3 },
      shouldEnforce2FASetup: false,
      limits: paidPlan,
    },
    {
      id: RUNNERS,
      name: 'Riverside Running Club',
      ownerEmail: 'demo@grantbridge.example',
      members: { totalCount: 1 },
      shouldEnforce2FASetup: false,
      limits: freePlan,
    },
  ],
};

const second: DemoPerson = {
  password: 'grantbridge-second',
  passwordHash: 'scrypt$15$8$1$2_B_QglulMHviGyWb1HwOQ$c_WOQxGidaE2LAWi8Vehick8_bWQzag4DSHv_TtINcs',
  account: {
    id: '5e1f0c9a7b3d4e2f8a6c1d02',
    email: 'second@grantbridge.example',
    backupEmail: 'sam@backup.example',
    name: 'Sam Second',
    avatar: 'https://images.grantbridge.example/accounts/sam.png',
    timezone: 'America/New_York',
    createdAt: '2019-10-02T17:45:09.871Z',
    preferences: { timeFormat: '12', startOfWeek: 'sunday', defaultScheduleOption: 'FixedTime' },
  },
  organizations: [
    {
      id: RECORDS,
      name: 'Second Street Records',
      ownerEmail: 'second@grantbridge.example',
      members: { totalCount: 1 },
      shouldEnforce2FASetup: true,
      limits: freePlan,
    },
  ],
};

/** The process prints and shows the credentials of the first person. */
export const demoPeople: readonly [DemoPerson, ...DemoPerson[]] = [dana, second];
