/** What OpenAPI says of the form of a text is true of what is accepted. */
import { describe, expect, it } from 'vitest'
import { DAYS, dayOf } from '../../src/areas/technicians/schedules/windows.ts'
import { parseEntityTags } from '../../src/lib/entity-tags.ts'
import { isNetwork } from '../../src/lib/networks.ts'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import type { Json } from '../../src/rest/openapi/json.ts'
import { builtSchemas } from '../setup/app.ts'

const document = openApiDocument(builtSchemas().operations, {})

/** Every pattern of a schema. A property of that name holds a schema, and names of codes are no schemas. */
function patternsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => {
    if (name.startsWith('x-')) return []
    return name === 'pattern' && typeof value === 'string' ? [value] : patternsIn(value)
  })
}

const patterns = [...new Set(patternsIn(document))]

it('every pattern is about the whole text', () => {
  expect(patterns.length).toBeGreaterThan(8)
  expect(patterns.filter((pattern) => !pattern.startsWith('^') || !pattern.endsWith('$'))).toEqual([])
})

const schemaOf = (name: string, property: string): Json =>
  ((document.components.schemas?.[name]?.properties ?? {}) as Record<string, Json>)[property] ?? {}

const patternOf = ({ pattern }: Json): RegExp => new RegExp(String(pattern), 'u')

describe('the pattern', () => {
  it('of a time zone matches every zone', () => {
    const zone = patternOf(schemaOf('TenantSettings', 'timezone'))
    const zones = [...Intl.supportedValuesOf('timeZone'), 'Europe/London', 'Etc/GMT+5', 'EST5EDT', 'GB-Eire']
    expect(zones.filter((name) => !zone.test(name))).toEqual([])
    expect(zone.test('+02:00')).toBe(false)
  })

  it('of a day matches the names that are taken', () => {
    const day = patternOf(schemaOf('TechnicianScheduleWindowInput', 'day'))
    const names = DAYS.flatMap((name) => [
      name,
      name.toLowerCase(),
      name.slice(0, 3),
      `${name[0]}on`,
      'tues',
      '',
    ])
    for (const name of names) expect([name, day.test(name)]).toEqual([name, dayOf(name) !== null])
  })

  it('of a network matches the networks that are taken', () => {
    const network = patternOf(schemaOf('ApiKeyDraft', 'allowed_cidrs').items as Json)
    const networks = ['203.0.113.0/24', '2001:db8::/32', '::/0', '::ffff:10.0.0.0/104', '10.0.0.1/32']
    for (const text of networks)
      expect([text, isNetwork(text), network.test(text)]).toEqual([text, true, true])
    for (const text of ['203.0.113.0', 'example.com/24', ' ', '10.0.0.0/8/8'])
      expect(network.test(text)).toBe(false)
  })

  it.each(['IfMatch', 'IfNoneMatch'])('of %s matches the tags that are taken', (name) => {
    const tags = patternOf((document.components.parameters?.[name]?.schema ?? {}) as Json)
    const values = [
      '*',
      ' * ',
      '"3"',
      'W/"3"',
      '"1", "2.abc"',
      '"1" ,W/"2"',
      '3',
      '"3',
      '',
      '"a" "b"',
      '*, "3"',
    ]
    for (const value of values)
      expect([value, tags.test(value)]).toEqual([value, parseEntityTags(value) !== null])
  })
})

it('an address of either family has one schema of several, not one of two', () => {
  const families = ['ipv4', 'ipv6'].map((format) => expect.objectContaining({ format }))
  expect(schemaOf('ApiKey', 'last_used_ip').anyOf).toEqual([...families, { type: 'null' }])
})
