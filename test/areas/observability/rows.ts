import type { Api, Arguments } from '../../setup/api.ts'
import type { Caller } from '../../setup/world.ts'

export const funnel = (api: Api, caller: Caller, args: Arguments = {}) =>
  api.call(caller, 'callback_funnel', args)

export const at = (time: string) => new Date(`2026-06-${time}Z`)

/** The day whose callbacks most tests are about. */
export const DAY = { since: '2026-06-10', until: '2026-06-11' }
