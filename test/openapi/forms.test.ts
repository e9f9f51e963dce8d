import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { builtSchemas } from '../setup/app.ts'

type Content = Record<string, { schema: object }>
interface Part {
  $ref?: string
  content: Content
  headers: object
}

const { paths, components } = openApiDocument(builtSchemas().operations) as unknown as {
  paths: Record<string, Record<string, { requestBody: Part; responses: Record<string, Part> }>>
  components: { responses: Record<string, Part> }
}

const resolved = (part: Part): Part =>
  part.$ref ? (components.responses[part.$ref.replace('#/components/responses/', '')] as Part) : part

const OPERATIONS = [
  ['get', '/public-api/feedback/{feedback_id}/form'],
  ['post', '/public-api/feedback/{feedback_id}/submit'],
] as const

describe('the page of a feedback link', () => {
  it.each(OPERATIONS)('is documented for every answer: %s %s', (method, path) => {
    const responses = Object.values(paths[path]?.[method]?.responses ?? {}).map(resolved)
    expect(responses.length).toBeGreaterThan(5)
    for (const { content, headers } of responses) {
      expect(Object.keys(content)).toEqual(['application/json', 'text/html'])
      expect(content['text/html']?.schema).toMatchObject({ type: 'string' })
      expect(headers).toHaveProperty('Vary')
    }
  })

  it('takes a form with the members of the JSON', () => {
    const [, [method, path]] = OPERATIONS
    const { content = {} } = paths[path]?.[method]?.requestBody ?? {}
    expect(Object.keys(content)).toEqual(['application/json', 'application/x-www-form-urlencoded'])
    expect(content['application/x-www-form-urlencoded']?.schema).toEqual(content['application/json']?.schema)
  })

  it('is the answer of no other operation', () => {
    const own = new Set<string>(OPERATIONS.map(([, path]) => path))
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { responses, requestBody }] of Object.entries(methods)) {
        if (own.has(path)) continue
        const all = [...Object.values(responses).map(resolved), ...(requestBody ? [requestBody] : [])]
        const types = all.flatMap(({ content }) => Object.keys(content ?? {}))
        expect([method, path, types.filter((type) => /html|form/.test(type))]).toEqual([method, path, []])
      }
  })
})
