import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PUBLISHED_RULES, VALIDATOR } from '../../src/areas/agents/configuration/published-rules.ts'
import { CONFIG_NAMES } from '../../src/areas/agents/configuration/rules/config-objects.ts'
import { AUTONOMY_TYPES, isAllowed, MATRIX } from '../../src/areas/agents/configuration/rules/matrix.ts'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { FACTS, VALID } from '../setup/agent-bodies.ts'
import { builtSchemas } from '../setup/app.ts'
import { schemaValidator } from '../setup/openapi.ts'

type Body = Record<string, unknown>

const ajv = new Ajv2020({ strict: false })
const published = JSON.parse(JSON.stringify(PUBLISHED_RULES.json_schemas))
const createFits = Object.fromEntries(
  AUTONOMY_TYPES.map((autonomy) => [autonomy, ajv.compile(published.create[autonomy])]),
)
const updateFits = ajv.compile(published.update)

const document = schemaValidator(openApiDocument(builtSchemas().operations, {}))
const documented = (name: string) => document.getSchema(`openapi#/components/schemas/${name}`)

/** The codes that the schemas of that write say too. */
const bySchema = (write: 'CREATE' | 'UPDATE') =>
  new Set(
    PUBLISHED_RULES.rules
      .filter(({ checked, applies_to }) => checked === 'SCHEMA' && applies_to.includes(write))
      .map(({ code }) => code),
  )

const word = fc.constantFrom(
  '',
  ' ',
  'x',
  'AGENTIC',
  'SCHEDULED',
  'CHAT',
  'NONE',
  'TICKET',
  'READ',
  'HUDU',
  'TICKETS',
  'ticket.close',
  'equals',
  'greater_than',
  'in',
  'board',
  'age_hours',
  'is_vip',
  'TICKET_CREATED',
  'x'.repeat(120),
  'x'.repeat(121),
  '😀'.repeat(120),
  'x'.repeat(1025),
  'x'.repeat(20_001),
  '0 7 * * 1',
)
const anything: fc.Arbitrary<unknown> = fc.oneof(
  word,
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    -1,
    0.5,
    1.5,
    240,
    241,
    3600,
    3601,
    2 ** 31,
    [],
    {},
    [null],
    [{}],
  ),
  fc.array(word, { maxLength: 3 }),
  fc.record({ field: word, operator: word, value: fc.oneof(word, fc.integer(), fc.array(word)) }),
  fc.dictionary(fc.constantFrom(...CONFIG_NAMES, 'text', 'tools', 'cron'), word, { maxKeys: 2 }),
)

/** Every path of the body, so that anything in it can be put out of shape. */
function pathsIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]))]
}

function changed(value: unknown, [step, ...rest]: (string | number)[], to: unknown): unknown {
  if (step === undefined) return to
  const copy = structuredClone(value) as Record<string | number, unknown>
  if (rest.length === 0 && to === undefined) delete copy[step]
  else copy[step] = changed(copy[step], rest, to)
  return copy
}

/** A valid body in which up to three values are something else, missing, or added. */
const bodies = fc
  .constantFrom(...Object.values(VALID))
  .chain((valid) =>
    fc.tuple(
      fc.constant(valid as Body),
      fc.array(
        fc.tuple(
          fc.constantFrom(...pathsIn(valid).slice(1)),
          fc.oneof({ weight: 4, arbitrary: anything }, { weight: 1, arbitrary: fc.constant(undefined) }),
        ),
        { maxLength: 3 },
      ),
      fc.dictionary(fc.constantFrom(...CONFIG_NAMES, 'activate', 'unknown', 'state'), anything, {
        maxKeys: 1,
      }),
    ),
  )
  .map(([valid, changes, more]) => {
    let body: Body = { ...valid, ...more }
    for (const [path, to] of changes) {
      try {
        body = changed(body, path, to) as Body
      } catch {
        // The change before this one took the place away.
      }
    }
    return JSON.parse(JSON.stringify(body)) as Body
  })

describe('the body of a create', () => {
  it.each(Object.entries(VALID))('%s is accepted without a warning', (_name, body) => {
    const { problems, warnings } = VALIDATOR.draft(body, FACTS)
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
  })

  it('gets the verdict that the published schema of its kind gives', () => {
    const codes = bySchema('CREATE')
    let [fitting, misfitting] = [0, 0]
    fc.assert(
      fc.property(bodies, (body) => {
        const fits = createFits[String(body.autonomy_type)]
        fc.pre(fits !== undefined)
        const problems = VALIDATOR.draft(body, FACTS).problems.filter(({ code }) => codes.has(code))
        expect(problems.length === 0, JSON.stringify(problems)).toBe(fits?.(body))
        if (problems.length === 0) fitting++
        else misfitting++
      }),
      { numRuns: 600 },
    )
    expect([fitting > 30, misfitting > 100]).toEqual([true, true])
  })

  it('never makes the judge throw, and makes only known codes', () => {
    const known = new Set(PUBLISHED_RULES.rules.map(({ code }) => code))
    fc.assert(
      fc.property(fc.oneof(bodies, fc.dictionary(fc.string(), fc.anything())), (body) => {
        const { problems } = VALIDATOR.draft(JSON.parse(JSON.stringify(body)), FACTS)
        for (const { code } of problems) expect(known).toContain(code)
      }),
      { numRuns: 300 },
    )
  })

  it('is allowed in exactly the combinations of the matrix', () => {
    expect(MATRIX).toHaveLength(3 * 4 * 3)
    expect(MATRIX.filter(({ allowed }) => allowed)).toHaveLength(2 + 3 + 3 + 2 + 2 + 2 + 1)
    for (const { autonomy_type, trigger_type, entity_type, allowed } of MATRIX) {
      const body = {
        ...VALID[autonomy_type],
        autonomy_type,
        trigger_type,
        entity_type,
        schedule: VALID.AGENTIC.schedule,
      }
      const refused = VALIDATOR.draft(body, FACTS).problems.some(
        ({ code }) => code === 'combination_not_allowed',
      )
      expect([autonomy_type, trigger_type, entity_type, !refused]).toEqual([
        autonomy_type,
        trigger_type,
        entity_type,
        allowed,
      ])
      expect(isAllowed(autonomy_type, trigger_type, entity_type)).toBe(allowed)
    }
  })
})

describe('a config object inside another one', () => {
  /** The immediate keys of config objects, and of the items of actions, that are config objects. */
  function naiveWalk(body: Body): string[] {
    return CONFIG_NAMES.flatMap((outer) => {
      const value = body[outer]
      if (typeof value !== 'object' || value === null) return []
      const containers: [string, unknown][] = Array.isArray(value)
        ? outer === 'actions'
          ? value.map((item, index) => [`actions.${index}`, item])
          : []
        : [[outer, value]]
      return containers.flatMap(([path, container]) =>
        typeof container === 'object' && container !== null && !Array.isArray(container)
          ? Object.keys(container).flatMap((key) =>
              (CONFIG_NAMES as readonly string[]).includes(key) ? [`${path}.${key}`] : [],
            )
          : [],
      )
    })
  }

  const nesting = fc.dictionary(
    fc.constantFrom(...CONFIG_NAMES),
    fc.oneof(
      fc.dictionary(
        fc.constantFrom(...CONFIG_NAMES, 'cron', 'tools', 'custom_instructions'),
        fc.constantFrom(null, {}, { toolbox: {} }),
      ),
      fc.array(
        fc.dictionary(
          fc.constantFrom(...CONFIG_NAMES, 'type', 'params'),
          fc.constantFrom(1, { schedule: {} }),
        ),
      ),
    ),
  )
  const nested = (problems: readonly { code: string; field: string }[]) =>
    problems.flatMap(({ code, field }) => (code === 'config_object_nested' ? [field] : [])).toSorted()

  it.each(AUTONOMY_TYPES)('is found exactly where a naive walk finds it: %s', (autonomy_type) => {
    fc.assert(
      fc.property(nesting, (configs) => {
        const body = { ...VALID[autonomy_type], ...configs }
        const { problems } = VALIDATOR.draft(body, FACTS)
        expect(nested(problems)).toEqual(naiveWalk(body).toSorted())
        for (const problem of problems.filter(({ code }) => code === 'config_object_nested')) {
          expect(problem).toMatchObject({ depth: 1, message: expect.stringContaining('depth 1') })
          expect(problem.message).toContain(problem.field)
        }
      }),
    )
  })

  it('is found in a change too, and comes before other problems', () => {
    const { problems } = VALIDATOR.patch(
      { autonomy_type: 'AGENTIC' },
      { name: '', toolbox: { tools: [], schedule: null }, agent_settings_edits: { actions: [] } },
      FACTS,
    )
    expect(problems.map(({ field }) => field)).toEqual([
      'agent_settings_edits.actions',
      'toolbox.schedule',
      'name',
    ])
  })

  it('is ignored if it is deeper', () => {
    const deep = { custom_instructions: { text: 'x', toolbox: { tools: [] } } }
    const body = { ...VALID.CHAINED_ACTIONS, agent_settings: deep }
    const { problems, warnings, fields } = VALIDATOR.draft(body, FACTS)
    expect(problems).toEqual([])
    expect(warnings).toEqual(['ignored_field: agent_settings.custom_instructions.toolbox'])
    expect(fields.agent_settings).toMatchObject({ custom_instructions: 'x' })
    const edits = { agent_settings_edits: { custom_instructions: { toolbox: {} } } }
    const change = VALIDATOR.patch(
      { autonomy_type: 'AGENTIC', agent_settings: { max_minutes: 5 } },
      edits,
      FACTS,
    )
    expect(change).toMatchObject({ problems: [], fields: { agent_settings: { max_minutes: 5 } } })
    expect(change.warnings).toHaveLength(2)
  })
})

describe('the body of a change', () => {
  it('gets the verdict that the published schema gives', () => {
    const codes = bySchema('UPDATE')
    fc.assert(
      fc.property(bodies, fc.constantFrom(...AUTONOMY_TYPES), (body, autonomy_type) => {
        const agent = { autonomy_type, agent_settings: {} }
        const problems = VALIDATOR.patch(agent, body, FACTS).problems.filter(({ code }) => codes.has(code))
        expect(problems.length === 0, JSON.stringify(problems)).toBe(updateFits(body))
      }),
      { numRuns: 400 },
    )
  })
})

describe('the documented body', () => {
  const branches = {
    AGENTIC: documented('CreateAgenticAgent'),
    CHAINED_ACTIONS: documented('CreateChainedActionsAgent'),
    CONVERSATIONAL: documented('CreateConversationalAgent'),
  }

  /** The codes of what a field is by itself. An enumeration takes values that are added later. */
  const OF_ONE_FIELD = [
    'type_invalid',
    'out_of_range',
    'too_long',
    'field_required',
    'name_required',
    'name_too_long',
    'autonomy_type_required',
  ]
  /** Which of the config objects may be cleared depends on the agent that is changed. */
  const OF_ONE_FIELD_OF_CREATE = [...OF_ONE_FIELD, 'agent_settings_required', 'actions_required']

  /** What the value of a condition can be depends on its field. */
  const isIn =
    (codes: readonly string[]) =>
    ({ code, field }: { code: string; field: string }) =>
      codes.includes(code) && !/^\w+_conditions\.rules\.\d+\.value/.test(field)

  it('of a create that is accepted is one of the branches, and one that is refused for a field by itself is none', () => {
    let [accepted, refused] = [0, 0]
    fc.assert(
      fc.property(bodies, (body) => {
        const { problems } = VALIDATOR.draft(body, FACTS)
        const fitting = AUTONOMY_TYPES.filter((autonomy) => branches[autonomy]?.(body))
        expect(documented('CreateAgent')?.(body)).toBe(fitting.length === 1)
        if (problems.length === 0) expect(fitting).toEqual([body.autonomy_type])
        if (problems.some(isIn(OF_ONE_FIELD_OF_CREATE))) expect(fitting).toEqual([])
        if (problems.length === 0) accepted++
        if (problems.some(isIn(OF_ONE_FIELD_OF_CREATE))) refused++
      }),
      { numRuns: 600 },
    )
    expect([accepted > 30, refused > 100]).toEqual([true, true])
  })

  it('of a change that is accepted fits, and one that is refused for a field by itself does not', () => {
    let [accepted, refused] = [0, 0]
    fc.assert(
      fc.property(bodies, fc.constantFrom(...AUTONOMY_TYPES), (body, autonomy_type) => {
        const { autonomy_type: _, ...changes } = body
        const { problems } = VALIDATOR.patch({ ...VALID[autonomy_type] }, changes, FACTS)
        const fits = documented('UpdateAgent')?.(changes)
        if (problems.length === 0) expect(fits).toBe(true)
        if (problems.some(isIn(OF_ONE_FIELD))) expect(fits, JSON.stringify(problems)).toBe(false)
        if (problems.length === 0) accepted++
        if (problems.some(isIn(OF_ONE_FIELD))) refused++
      }),
      { numRuns: 400 },
    )
    expect([accepted > 30, refused > 50]).toEqual([true, true])
  })
})
