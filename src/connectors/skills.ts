/** The skills of agents: what tools ask of the service's own data. */
import type { PortContext } from './port.ts'

/** A skill as a run has it: with the version that was the latest when the run began. */
export interface PinnedSkill {
  id: string
  slug: string
  version: number
  description: string
  /** The tools that the run may use from its reading of the skill on. Empty: all that the agent has. */
  allowed_tools: readonly string[]
}

export interface Skills {
  /** The content of a file in the version of the skill; null if there is none. */
  file(skill: Pick<PinnedSkill, 'id' | 'version'>, path: string): Promise<string | null>
}

export type SkillsConnector = (ctx: PortContext) => Skills
