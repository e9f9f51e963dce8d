/** The tool calls of the audit log that waited for a request to technicians, which the requests agree with. */
import { type ToolName, toolNamed } from '../tools/registry.ts'
import type { Seeding } from './seeding.ts'
import type { Write } from './til-stories.ts'

/** A call and its decision, by the id of the request. */
export interface AskedCall {
  id: string
  tool: ToolName
  system: string | null
  arguments: Record<string, unknown>
  denied: boolean
  decided_by: string | null
}

export async function askedCalls({ tx, tenancy }: Seeding): Promise<ReadonlyMap<string, AskedCall>> {
  const { tenant_id, environment } = tenancy
  const calls = await tx.$queryRaw<AskedCall[]>`
    select til_request_id as id, min(tool_name) as tool, min(system) as system,
      (array_agg(arguments order by sequence))[1] as arguments, bool_or(outcome = 'DENIED') as denied,
      max(decided_by_name) as decided_by
    from audit_entry
    where tenant_id = ${tenant_id} and environment = ${environment} and til_request_id is not null
    group by til_request_id`
  return new Map(calls.map((call) => [call.id, call]))
}

/** The change that the call makes, in the words of the agent if it has some. */
export const writeOfCall = (
  { tool, system, arguments: args }: AskedCall,
  writes: readonly Write[],
): Write => ({
  tool,
  title: toolNamed(tool)?.title ?? tool,
  summary: 'The run makes this change, and nothing else, once it is approved.',
  ...writes.find((write) => write.tool === tool),
  arguments: args,
  system,
})
