/** Text that the database does not store is refused wherever text comes in. */
import {
  type GraphQLArgument,
  type GraphQLInputField,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { unstorableIn } from '../../src/lib/text.ts'
import { BODY } from '../../src/rest/bind.ts'
import { boundsOf } from '../../src/schema/bounds/bounds.ts'
import { checkArguments } from '../../src/schema/calls/input.ts'
import { published } from '../setup/api.ts'

const { operations } = await published()

/** A value with only this text in it, at the path. */
interface Leaf {
  path: string
  scalar: string
  withText: (text: unknown) => unknown
}

/** Every scalar of an input, however deep, that the gateway judges. */
function leavesOf(input: GraphQLArgument | GraphQLInputField): Leaf[] {
  const { own_rules, read_only } = boundsOf(input)
  if (own_rules || read_only) return []
  const named = getNamedType(input.type)
  const is_list = isListType(getNullableType(input.type))
  const listed = (value: unknown) => (is_list ? [value] : value)
  const path = is_list ? `${input.name}.0` : input.name
  if (isScalarType(named)) return [{ path, scalar: named.name, withText: listed }]
  if (!isInputObjectType(named)) return []
  return Object.values(named.getFields())
    .flatMap(leavesOf)
    .map((leaf) => {
      const [name = ''] = leaf.path.split('.')
      return {
        ...leaf,
        path: `${path}.${leaf.path}`,
        withText: (text) => listed({ [name]: leaf.withText(text) }),
      }
    })
}

/** Numbers and truth values hold no text. */
const WITHOUT_TEXT = new Set(['Int', 'Float', 'Boolean', 'NonNegativeInt', 'NonNegativeFloat'])

const leaves = operations.flatMap(({ name, field }) =>
  field.args.flatMap((arg) =>
    leavesOf(arg)
      .filter(({ scalar }) => !WITHOUT_TEXT.has(scalar))
      // An argument that is an id and cannot be stored is that of nothing.
      .filter(({ scalar }) => scalar !== 'ID' || arg.name === BODY)
      .map((leaf) => [`${name}: ${leaf.path}`, leaf, arg] as const),
  ),
)

const locate = (name: string) => (name === BODY ? 'body' : 'query')

describe.each(['a\0b', '\ud800', '\udfff\ud800'])('the text %j', (text) => {
  it.each(leaves)('is refused in %s', (_name, { path, withText }, arg) => {
    const { errors } = checkArguments([arg], { [arg.name]: withText(text) }, locate)
    expect(errors.map(({ field }) => field)).toContain(path.replace(/^input\./, ''))
  })

  it('is refused at any depth of free JSON, as a name too', () => {
    expect(unstorableIn({ a: [1, { b: text }], [text]: 1, c: 'fine' }, 'args')).toEqual([
      { path: 'args.a.1.b', is: 'TEXT' },
      { path: 'args', is: 'TEXT' },
    ])
  })
})

it('free JSON is among the inputs, and has finite numbers', () => {
  expect(leaves.map(([name]) => name)).toContain('approve_til_request: input.edited_arguments')
  expect(unstorableIn([1, Number.POSITIVE_INFINITY], '')).toEqual([{ path: '1', is: 'NUMBER' }])
})
