import { buildSchema, print } from 'graphql'
import { describe, expect, test } from 'vitest'
import { anyCaller } from '../../src/access/policies/policies.ts'
import type { Operation } from '../../src/gateway/operation.ts'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { deriveRoutes } from '../../src/rest/sofa.ts'

const view = buildSchema(`
  type Query {
    "Lists robots."
    robots: RobotPage
    "Gets a robot."
    robot(id: String!): Robot
  }
  type RobotPage { items: [Robot!]! pagination: Pagination! }
  type Pagination { next_cursor: String has_more: Boolean! }
  type Robot { id: String! config: String! maker: Maker! }
  type Maker { id: String! config: String! }
`)

const area = { name: 'Robots', slug: 'robots', description: 'Robots.', example: '' }

function operation(name: string, path: string, omit?: string[]): Operation {
  const field = view.getQueryType()?.getFields()[name]
  if (!field) throw new Error(`There is no field ${name}`)
  const rest = { method: 'GET', path, ...(omit && { omit }) } as const
  return { name, kind: 'query', area, field, access: anyCaller, has_etag: false, rest }
}

const robots = (omit?: string[]) => operation('robots', '/robots', omit)
const robot = (omit?: string[]) => operation('robot', '/robots/{id}', omit)

/** The fields that the operation selects, in one line. */
async function selected(of: Operation): Promise<string> {
  const other = of.name === 'robot' ? robots() : robot()
  const document = (await deriveRoutes(view, [of, other])).find(({ name }) => name === of.name)?.document
  return document
    ? print(document)
        .replace(/\s+/g, ' ')
        .replace(/^[^{]*/, '')
    : ''
}

const schemasOf = (...operations: Operation[]) =>
  openApiDocument(operations).components.schemas as Record<string, { properties: Record<string, unknown> }>

describe('fields that REST leaves out', () => {
  test('are those of each item in a list, and of no object inside it', async () => {
    expect(await selected(robots(['config']))).toBe(
      '{ robots { items { id maker { id config } } pagination { next_cursor has_more } } }',
    )
  })

  test('are those of the value elsewhere', async () => {
    expect(await selected(robot(['config', 'maker']))).toBe('{ robot(id: $id) { id } }')
    expect(await selected(robot())).toBe('{ robot(id: $id) { id config maker { id config } } }')
  })

  test('are in no schema of the list; the whole type has one of its own', () => {
    const schemas = schemasOf(robots(['config']), robot())
    expect(Object.keys(schemas.RobotSummary?.properties ?? {})).toEqual(['id', 'maker'])
    expect(Object.keys(schemas.Robot?.properties ?? {})).toEqual(['id', 'config', 'maker'])
    expect(schemas.RobotPageResponse?.properties.data).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/RobotSummary' },
      description: 'The items of the page.',
    })
  })

  test('that the type does not have stop the start', async () => {
    await expect(deriveRoutes(view, [robots(['colour']), robot()])).rejects.toThrow(
      'robots: rest.omit names colour, which its type does not have',
    )
  })

  test('are the same wherever the lesser shape is answered', () => {
    expect(() => openApiDocument([robots(['config']), robot(['maker'])])).toThrow('RobotSummary')
  })
})
