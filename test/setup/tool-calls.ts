/** Tool calls for a tenant, as runs make them. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { budgetedConnectors } from '../../src/composition/connectors.ts'
import { schemaErrorsOf } from '../../src/lib/json-schema.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import {
  type CallingRun,
  executeTool,
  outcomeOf,
  type ToolContext,
  type ToolResult,
} from '../../src/tools/execute.ts'
import { type ToolName, toolNamed } from '../../src/tools/registry.ts'
import type { JsonSchema, Tool } from '../../src/tools/tool.ts'
import { NOTHING_CONNECTED } from './adapters.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

const connectors = budgetedConnectors({}, {}, NOTHING_CONNECTED)

type Tenant = Pick<Msp, 'tenant_id' | 'environment' | 'database'>

export const toolContext = ({ tenant_id, environment, database }: Tenant): ToolContext => ({
  viewer: { tenant_id, environment },
  services: { database, connectors },
  transaction: null,
  db_time: new Stopwatch(),
  now: clock.now(),
})

const toolOf = (name: ToolName): Tool => toolNamed(name) as Tool

export const CALLING_RUN: CallingRun = {
  agent_id: 7,
  agent_name: 'Triage',
  execution_id: 'exe_1',
  entity_id: '1',
  reach: null,
  audience: 'TECHNICIANS',
  skills: [],
}

function expectFit(schema: JsonSchema | null, value: unknown): void {
  if (schema) expect(schemaErrorsOf(schema)(value)).toEqual([])
}

/** The tenant's tools, as a run calls them. Arguments and whole answers fit the schemas of the tools. */
export const toolCallsFor = (msp: Tenant, run: Partial<CallingRun> = {}) => ({
  async call(name: ToolName, args: Record<string, unknown>, key: string = randomUUID()): Promise<ToolResult> {
    const tool = toolOf(name)
    expectFit(tool.input_schema, args)
    const result = await executeTool(toolContext(msp), { ...CALLING_RUN, ...run }, tool, args, key)
    if (!result.truncated) expectFit(tool.output_schema, result)
    return result
  },
  outcome: (name: ToolName, key: string, args: object = {}) =>
    outcomeOf(
      toolContext(msp),
      toolOf(name),
      { id: key, arguments: args, entity_id: run.entity_id ?? CALLING_RUN.entity_id },
      new Date(0),
    ),
})
