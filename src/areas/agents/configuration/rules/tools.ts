/** The tools of a toolbox: those that it gets, and what becomes of the others. */
import { toolNamed } from '../../../../tools/registry.ts'
import type { FieldProblem } from './schema-problems.ts'

interface Toolbox {
  tools: string[]
  problems: FieldProblem[]
  warnings: string[]
}

/** The reason why a tool that exists is left out; null if an agent gets it by its name. */
function reasonToDrop(name: string): string | null {
  const tool = toolNamed(name)
  if (!tool || tool.grant === 'REQUESTABLE') return null
  if (tool.grant === 'RUNTIME_ONLY') return `tool_runtime_only: ${name}`
  if (tool.grant === 'OWN_RULE') return `tool_not_requestable: ${name}`
  return `tool_granted_by_group: ${name} ${tool.permission_group}`
}

// Contract silent: a tool that is named twice is there once.
/** Validates the tools by name. Values that are no text are refused by the JSON Schema. */
export function toolboxOf(names: readonly unknown[]): Toolbox {
  const tools = new Set<string>()
  const warnings = new Set<string>()
  const problems = names.flatMap((name, index): FieldProblem[] => {
    if (typeof name !== 'string') return []
    if (!toolNamed(name)) {
      const message = 'is no tool: see GET /public-api/schemas/tools'
      return [{ field: `toolbox.tools.${index}`, code: 'tool_unknown', message }]
    }
    const reason = reasonToDrop(name)
    if (reason) warnings.add(reason)
    else tools.add(name)
    return []
  })
  return { tools: [...tools], problems, warnings: [...warnings] }
}
