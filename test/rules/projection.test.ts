import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLList,
  GraphQLObjectType,
  GraphQLString,
  Kind,
  parse,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { projection } from '../../src/db/query/projection.ts'
import { wantedFields } from '../../src/schema/selection.ts'

describe('a projection', () => {
  const columns = projection('AgentShare', 's', {
    computed: { mine: 's.user_id = $person', can_edit: 'true' },
    always: ['agent_id'],
  })

  test('has every column of the model and the computed ones, which may replace them', () => {
    expect(columns.select(null)).toBe(
      's.tenant_id as tenant_id, s.environment as environment, s.agent_id as agent_id, s.user_id as user_id, ' +
        'true as can_edit, s.created_at as created_at, s.user_id = $person as mine',
    )
  })

  test('selects what is wanted, what is always needed and what is asked for besides', () => {
    const wanted = new Set(['mine', 'unknown'])
    const text = 's.agent_id as agent_id, s.user_id = $person as mine'
    expect([columns.select(wanted), columns.select(wanted)]).toEqual([text, text])
    expect(columns.select(wanted, ['user_id'])).toBe(
      's.agent_id as agent_id, s.user_id as user_id, s.user_id = $person as mine',
    )
  })

  test('reads enumerations as text, and needs columns that are there', () => {
    expect(projection('Agent', 'a', { always: ['state'] }).select(new Set())).toBe('a.state::text as state')
    expect(() => projection('Agent', 'a', { always: ['gone'] })).toThrow('There are no columns gone')
  })
})

const text = { type: GraphQLString }

const Row = new GraphQLObjectType({
  name: 'Row',
  fields: {
    id: text,
    name: text,
    at: text,
    is_late: { ...text, extensions: { pothosOptions: { columns: ['at', 'due_at'] } } },
    owner_id: { ...text, extensions: { pothosPrismaVariant: 'tenant_id' } },
  },
})

const Page = new GraphQLObjectType({ name: 'Page', fields: { items: { type: new GraphQLList(Row) } } })

describe('the fields that are wanted, with the columns that they are made of,', () => {
  const infoOf = (text: string) => {
    const { definitions } = parse(text)
    const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
    const [operation] = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
    return {
      returnType: Page,
      fieldNodes: operation?.selectionSet.selections.filter((one) => one.kind === Kind.FIELD) as FieldNode[],
      fragments: Object.fromEntries(fragments.map((one) => [one.name.value, one])) as Record<
        string,
        FragmentDefinitionNode
      >,
    }
  }

  test.each([
    ['{ list { items { id name } pagination { has_more } } }', ['id', 'name']],
    ['{ list { items { x: id ... on Row { name } ...F } } } fragment F on Row { at }', ['id', 'name', 'at']],
    ['{ list { ...P } } fragment P on Page { items { id } also: items { name } }', ['id', 'name']],
    ['{ list { items { id @include(if: false) } } }', ['id']],
    ['{ list { items { id } } list { items { name } } }', ['id', 'name']],
    ['{ list { pagination { has_more } } }', []],
    ['{ list { items { is_late } } }', ['is_late', 'at', 'due_at']],
    ['{ list { items { owner_id } } }', ['owner_id', 'tenant_id']],
  ])('of %s are %j', (document, names) => {
    const info = infoOf(document)
    expect([...wantedFields(info, 'items')]).toEqual(names)
    expect([...wantedFields(info, 'items')]).toEqual(names)
    expect([...wantedFields(info)]).not.toEqual(names)
  })
})
