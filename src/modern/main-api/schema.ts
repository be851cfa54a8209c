import { buildSchema, GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { accountTypes } from './schema-account.ts';
import { channelTypes } from './schema-channel.ts';

const root = `
  "Mongo object id of an account: 24 hexadecimal characters. [recorded]"
  scalar AccountId
  "Mongo object id of an organization. [recorded]"
  scalar OrganizationId
  "Mongo object id of a channel. [recorded]"
  scalar ChannelId
  "ISO 8601 with milliseconds and Z. [recorded]"
  scalar DateTime

  """
  Marks in this schema: [spec] is said by the specification, [recorded] was seen on the real service or in its captures,
  [inferred] is our guess where neither says anything.
  """
  type Query {
    "The account the token acts for. Needs account:read. [spec: id and email; recorded: the rest; inferred: the scope]"
    account: Account!
    "All channels of one organization of the account; a plain list without paging. Needs account:read. [recorded]"
    channels(input: ChannelsInput!): [Channel!]!
    "One channel of the account. Needs account:read. [recorded]"
    channel(input: ChannelInput!): Channel!
  }

  input ChannelsInput {
    "A user in several organizations targets one of them by its id. [spec 5.1.6]"
    organizationId: OrganizationId!
    filter: ChannelsFiltersInput
  }

  input ChannelsFiltersInput {
    isLocked: Boolean
    product: Product
  }

  input ChannelInput {
    id: ChannelId!
  }
`;

const ID_SCALARS = ['AccountId', 'OrganizationId', 'ChannelId'];

function idFrom(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('An id must be a string');
}

// Any string is an id as far as the schema goes: one that names nothing is NOT_FOUND, not a validation error.
function restrictIds(schema: GraphQLSchema): void {
  for (const name of ID_SCALARS) {
    const type = schema.getType(name);
    if (!(type instanceof GraphQLScalarType)) throw new Error(`${name} is not a scalar`);
    type.parseValue = idFrom;
    type.parseLiteral = (node) => idFrom(node.kind === Kind.STRING ? node.value : undefined);
  }
}

/** The read side of the main API, schema first. */
export function createSchema(): GraphQLSchema {
  const schema = buildSchema([root, accountTypes, channelTypes].join('\n'));
  restrictIds(schema);
  return schema;
}
