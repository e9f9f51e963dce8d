/** Tools whose calls reach no system. */
import type { ToolAct } from '../acting.ts'
import { ToolFailure } from '../failure.ts'

/** No system of its kind can be connected. */
export const NOT_AVAILABLE: ToolAct = {
  port: null,
  act: () => Promise.reject(new ToolFailure('tool_not_available')),
}

/** The run itself does what the tool is for, and asks nothing of a system. */
export const OF_THE_RUN: ToolAct = {
  port: null,
  act: () => Promise.reject(new Error('A tool of the run reached the systems')),
}
