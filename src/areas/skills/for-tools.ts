/** The files of skills, as the tools of agents ask for them. */
import type { SkillsConnector } from '../../connectors/skills.ts'
import { scoped, sql } from '../../db/db.ts'

const FILE = scoped(
  'skills.file_for_tools',
  `select f.value ->> 'content' as content
   from skill_version v cross join lateral jsonb_array_elements(v.files) f
   where v.tenant_id = $1 and v.environment = $2 and v.skill_id = $3::text and v.version = $4::int
     and f.value ->> 'path' = $5::text`,
)

export const skillsForTools: SkillsConnector = (ctx) => ({
  async file({ id, version }, path) {
    const [row] = await sql<{ content: string }>(ctx, FILE, [id, version, path])
    return row?.content ?? null
  },
})
