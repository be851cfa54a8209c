export const channelTypes = `
  "One profile on a social network. [spec: belongs to an organization; recorded: every field]"
  type Channel {
    id: ChannelId!
    organizationId: OrganizationId!
    name: String!
    displayName: String
    "Words for people, such as \\"Facebook Page\\". [recorded]"
    descriptor: String!
    service: Service!
    "Id on the network itself. [recorded]"
    serviceId: String!
    type: ChannelType!
    avatar: String!
    timezone: String!
    isDisconnected: Boolean!
    isLocked: Boolean!
    isQueuePaused: Boolean!
    isNew: Boolean!
    "Always seven rows, mon to sun; times may be empty. [recorded]"
    postingSchedule: [ScheduleV2!]!
    products: [Product!]
    "What the network allowed. [recorded; inner nullability inferred]"
    scopes: [String]!
    "Always empty on the real service. [recorded; element type inferred]"
    allowedActions: [String!]!
    metadata: ChannelMetadata
    externalLink: String
    linkShortening: LinkShortening!
    postingGoal: PostingGoal
    hasActiveMemberDevice: Boolean!
    showTrendingTopicSuggestions: Boolean!
    weeklyPostingLimit: Int @deprecated(reason: "Use dailyPostingLimits.")
    createdAt: DateTime!
    updatedAt: DateTime!
  }

  "[recorded]"
  type ScheduleV2 {
    day: DayOfWeek!
    "HH:MM in the channel's time zone. [recorded]"
    times: [String!]!
    paused: Boolean!
  }

  "[recorded]"
  type LinkShortening {
    isEnabled: Boolean!
    config: LinkShorteningConfig
  }

  "[recorded]"
  type LinkShorteningConfig {
    domain: String!
    name: String!
  }

  "[recorded: the name; inferred: the fields]"
  type PostingGoal {
    goal: Int!
    sentCount: Int!
    scheduledCount: Int!
  }

  "What only one service has. [recorded: a union for each service; inferred: these members]"
  union ChannelMetadata = MastodonMetadata | BlueskyMetadata | TwitterMetadata | GoogleBusinessMetadata

  "[inferred]"
  type MastodonMetadata {
    serverUrl: String!
  }

  "[inferred]"
  type BlueskyMetadata {
    serverUrl: String!
  }

  "[inferred]"
  type TwitterMetadata {
    subscriptionType: String!
  }

  "[inferred]"
  type GoogleBusinessMetadata {
    location: String!
    mapsLink: String
  }

  "X is still twitter. [recorded]"
  enum Service {
    instagram
    facebook
    twitter
    linkedin
    pinterest
    tiktok
    googlebusiness
    startPage
    mastodon
    youtube
    threads
    bluesky
  }

  "[recorded]"
  enum ChannelType {
    page
    profile
    business
    group
    account
    channel
  }

  "[recorded]"
  enum DayOfWeek {
    mon
    tue
    wed
    thu
    fri
    sat
    sun
  }

  "[recorded]"
  enum Product {
    analyze
    engage
    publish
    buffer
    startPage
    comments
  }
`;
