/** The settings of an agent that bound its runs. */
import { isObject } from '../../../../lib/is-object.ts'

export interface Ceilings {
  max_tool_calls: number
  max_minutes: number
  estimated_minutes_saved: number
}

const DEFAULTS: Ceilings = { max_tool_calls: 100, max_minutes: 60, estimated_minutes_saved: 0 }

/** The ceilings in the stored settings; the defaults of agents if they have none. */
export function ceilingsOf(agent_settings: unknown): Ceilings {
  const settings = isObject(agent_settings) ? agent_settings : {}
  const number = (name: keyof Ceilings): number => {
    const value = settings[name]
    return typeof value === 'number' ? value : DEFAULTS[name]
  }
  return {
    max_tool_calls: number('max_tool_calls'),
    max_minutes: number('max_minutes'),
    estimated_minutes_saved: number('estimated_minutes_saved'),
  }
}

// Contract silent: half of the work that an agent is estimated to save is saved if it was done in part.
const SHARE_SAVED = { NONE: 0, PARTIAL: 0.5, FULL: 1 } as const

/** The hours that a completed execution saved. */
export const hoursSaved = (estimated_minutes: number, resolution: keyof typeof SHARE_SAVED): number =>
  Math.round((estimated_minutes / 60) * SHARE_SAVED[resolution] * 10_000) / 10_000

// Contract silent: each tool call that did its work costs one credit, whatever the tool.
export const CREDITS_PER_CALL = 1
