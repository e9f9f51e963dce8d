/** Calls and bodies that tests of skills have in common. */
import type { Answer, Api } from '../../setup/api.ts'
import { skillMd } from '../../setup/skill-files.ts'
import type { Caller, Msp } from '../../setup/world.ts'

export const PRINTERS = skillMd('printer-moves', 'For printers that move.', '# Moves\n')

/** The body of a skill by its instructions. */
export const draft = (changes: object = {}) => ({
  name: 'Printer moves',
  description: 'For printers that move.',
  instructions: '# Moves\n',
  ...changes,
})

export const create = (api: Api, caller: Caller, changes: object = {}, headers = {}): Promise<Answer> =>
  api.call(caller, 'create_skill', { input: draft(changes) }, headers)

/** A skill by its files alone. */
export const createFiles = (api: Api, caller: Caller, input: object): Promise<Answer> =>
  api.call(caller, 'create_skill', { input })

export const read = (api: Api, caller: Caller, skill_id: string): Promise<Answer> =>
  api.call(caller, 'skill', { skill_id })

export const update = (
  api: Api,
  caller: Caller,
  skill_id: string,
  input: object,
  headers = {},
): Promise<Answer> => api.call(caller, 'update_skill', { skill_id, input }, headers)

export const setAgents = (
  api: Api,
  caller: Caller,
  skill_id: string,
  agent_ids: readonly number[],
  headers = {},
): Promise<Answer> => api.call(caller, 'set_skill_agents', { skill_id, input: { agent_ids } }, headers)

export const restore = (
  api: Api,
  caller: Caller,
  skill_id: string,
  version: unknown,
  headers = {},
): Promise<Answer> => api.call(caller, 'restore_skill_version', { skill_id, version }, headers)

/** The problems of the answer, by the fields of the body. */
export const problemsOf = ({ error }: Answer) =>
  error?.details.field_errors?.map(({ field, code }) => `${field.replace('input.', '')} ${code}`)

/** The numbers of skills and versions of the tenant. */
export const rowsOf = async ({ database: { prisma }, tenant_id }: Msp) => [
  await prisma.skill.count({ where: { tenant_id } }),
  await prisma.skillVersion.count({ where: { tenant_id } }),
]
