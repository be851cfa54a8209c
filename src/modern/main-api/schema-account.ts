export const accountTypes = `
  "A person who can sign in. [spec: id, email; recorded: every other field]"
  type Account {
    id: ID!
    email: String!
    backupEmail: String
    avatar: String!
    createdAt: DateTime
    organizations(filter: OrganizationFilterInput): [Organization!]!
    timezone: String
    name: String
    preferences: Preferences
    "One entry for each app that holds a consent of this account. [recorded]"
    connectedApps: [ConnectedApp!]
  }

  input OrganizationFilterInput {
    organizationId: OrganizationId
  }

  "[recorded]"
  type Preferences {
    timeFormat: String
    startOfWeek: String
    defaultScheduleOption: ScheduleOption!
  }

  enum ScheduleOption {
    Queue
    Prioritize
    FixedTime
    Now
  }

  "[recorded]"
  type ConnectedApp {
    clientId: String!
    userId: AccountId!
    name: String!
    description: String!
    website: String!
    createdAt: DateTime!
    category: ConnectedAppCategory
    scopes: [String!]!
  }

  enum ConnectedAppCategory {
    mcp
  }

  "Holds channels. [spec: the id targets one organization; recorded: every other field]"
  type Organization {
    id: OrganizationId!
    name: String!
    ownerEmail: String!
    channelCount: Int!
    members: OrganizationMembers!
    shouldEnforce2FASetup: Boolean!
    limits: OrganizationLimits!
  }

  "[recorded]"
  type OrganizationMembers {
    totalCount: Int!
  }

  "What the plan allows. [recorded]"
  type OrganizationLimits {
    channels: Int!
    members: Int!
    scheduledPosts: Int!
    scheduledThreadsPerChannel: Int!
    scheduledStoriesPerChannel: Int!
    generateContent: Int!
    tags: Int!
    ideas: Int!
    ideaGroups: Int!
    savedReplies: Int!
    postTemplates: Int!
  }
`;
