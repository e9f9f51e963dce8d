import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { CATEGORIES, REGISTRY } from '../../src/areas/integrations/registry.ts'
import { GROUPS } from '../../src/areas/tenant/permission-group-catalogue.ts'
import { TOOLS, toolNamed, toolsOf } from '../../src/tools/registry.ts'
import { PERMISSION_GROUPS } from '../../src/tools/tool.ts'

const each = TOOLS.map((tool) => [tool.name, tool] as const)

/** Every object schema in it. */
function objects(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'properties' in schema ? [schema as Record<string, unknown>] : []
  return [...own, ...Object.values(schema).flatMap(objects)]
}

describe('the registry of tools', () => {
  it('has every tool once, by name, of every kind of system', () => {
    const names = TOOLS.map(({ name }) => name)
    expect(names.length).toBeGreaterThanOrEqual(60)
    expect(names).toEqual([...new Set(names)].sort())
    const kinds = new Set(TOOLS.flatMap(({ works_in }) => works_in ?? []))
    expect([...kinds].sort()).toEqual([...CATEGORIES].sort())
  })

  it('has tools of each grant, and finds them by name', () => {
    expect(new Set(TOOLS.map(({ grant }) => grant))).toEqual(
      new Set(['REQUESTABLE', 'GROUP', 'RUNTIME_ONLY', 'OWN_RULE']),
    )
    for (const tool of TOOLS) expect(toolNamed(tool.name)).toBe(tool)
    expect(['', 'ticket', 'toString', '__proto__'].map(toolNamed)).toEqual(Array(4).fill(undefined))
  })

  it('gives every permission group tools, each of which is granted by its group alone', () => {
    expect(Object.keys(GROUPS)).toEqual([...PERMISSION_GROUPS])
    for (const group of PERMISSION_GROUPS) {
      expect(toolsOf(group).length).toBeGreaterThan(2)
      expect(GROUPS[group].tools).toEqual(toolsOf(group))
    }
    for (const { grant, permission_group } of TOOLS) expect(grant === 'GROUP').toBe(permission_group !== null)
  })

  it('asks before a write if and only if its group does until a tenant decides', () => {
    for (const { name, access, permission_group, requires_approval } of TOOLS) {
      if (access === 'READ') expect(requires_approval, name).toBe(false)
      else if (permission_group)
        expect(requires_approval, name).toBe(GROUPS[permission_group].requires_approval)
    }
  })

  it.each(each)('%s is described, and its annotations agree with what it does', (_name, tool) => {
    expect(tool.name).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/)
    expect(tool.title).toMatch(/^[A-Z][^.]+$/)
    expect(tool.description).toMatch(/^[A-Z].+\.$/)
    expect(tool.annotations.read_only).toBe(tool.access === 'READ')
    expect(tool.annotations.open_world).toBe(tool.works_in !== null)
    if (tool.access === 'READ') expect(tool.annotations.destructive).toBe(false)
    const system = REGISTRY.find((integration) => integration.system === tool.system)
    if (tool.system) expect(system?.category).toBe(tool.works_in)
  })

  it.each(each)('%s has JSON Schemas of closed objects', (_name, { input_schema, output_schema }) => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true })
    addFormats.default(ajv)
    for (const schema of [input_schema, output_schema ?? {}]) {
      expect(() => ajv.compile(schema)).not.toThrow()
      for (const one of objects(schema)) expect(one.additionalProperties).toBe(false)
    }
    expect(input_schema.type).toBe('object')
    expect(ajv.compile(input_schema)({ unknown_argument: true })).toBe(false)
  })
})
