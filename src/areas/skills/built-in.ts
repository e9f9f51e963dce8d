/** The skills of the service, and the statement that gives them to tenants. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type DatabaseContext, sql } from '../../db/db.ts'
import { type Sql, statement } from '../../db/sql.ts'
import { bundleOf, skillMdOf } from '../../tools/skill-bundle.ts'

const FOLDER = join(import.meta.dirname, 'built-in')

/** The skill in the folder: its files, `SKILL.md` first. */
async function readBuiltIn(slug: string) {
  const entries = await readdir(join(FOLDER, slug), { withFileTypes: true, recursive: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.sort().map(async (path) => ({
      path: relative(join(FOLDER, slug), path),
      content: await readFile(path, 'utf8'),
    })),
  )
  const made = bundleOf({ files }, null)
  if ('problems' in made) throw new Error(`The built-in skill ${slug}: ${JSON.stringify(made.problems)}`)
  const version = Number(/^ {2}version: "(\d+)"$/m.exec(skillMdOf(files))?.[1])
  return { ...made.bundle, id: `skl_built_in_${slug.replaceAll('-', '_')}`, version }
}

let read: Promise<readonly Awaited<ReturnType<typeof readBuiltIn>>[]> | undefined

/** The built-in skills, read at first use. */
export const builtInSkills = () => {
  read ??= readdir(FOLDER).then((slugs) => Promise.all(slugs.sort().map(readBuiltIn)))
  return read
}

const BATCH = 500

/** `$1` is the tenant, or null for all tenants. */
// Contract silent: a built-in skill that was archived is neither given again nor raised.
const GIVE = statement(
  'skills.give_built_in',
  `with due as materialized (
     select t.id as tenant_id, b.*, s.id is null as is_new
     from jsonb_to_recordset($3::jsonb) as b(id text, slug text, name text, description text, allowed_tools text[], files jsonb, version int)
       cross join tenant t
       left join skill s on s.tenant_id = t.id and s.environment = $2 and s.id = b.id
     where ($1::text is null or t.id = $1) and case when s.id is null then not exists (
         select from skill own
         where own.tenant_id = t.id and own.environment = $2 and own.slug = b.slug and own.status <> 'ARCHIVED')
       else s.version < b.version and s.status <> 'ARCHIVED' end
     order by t.id, b.id limit ${BATCH}
   ), made as (
     insert into skill (tenant_id, environment, id, slug, name, description, allowed_tools, files, version, source, created_by_name, created_at, updated_at)
     select tenant_id, $2, id, slug, name, description, allowed_tools, files, version, 'BUILT_IN', 'Automation Service', $4, $4
     from due where is_new on conflict do nothing returning *
   ), raised as (
     update skill s set name = d.name, description = d.description, allowed_tools = d.allowed_tools, files = d.files,
       version = d.version, revision = s.revision + 1, updated_at = $4
     from due d where s.tenant_id = d.tenant_id and s.environment = $2 and s.id = d.id and s.version < d.version
     returning s.*
   )
   insert into skill_version (tenant_id, environment, skill_id, version, name, description, allowed_tools, files, created_by_name, created_at)
   select tenant_id, environment, id, version, name, description, allowed_tools, files, created_by_name, $4
   from (select * from made union all select * from raised) given
   returning 1 as given`,
)

/** Gives the tenant the built-in skills that it lacks, in the transaction of the caller. */
export async function giveBuiltIns(ctx: DatabaseContext & { now: Date }): Promise<void> {
  await sql(ctx, GIVE, [JSON.stringify(await builtInSkills()), ctx.now])
}

interface Given {
  skills?: Awaited<ReturnType<typeof builtInSkills>>
  /** The only tenant that gets them; every tenant if it is left out. */
  tenant_id?: string
}

/** Gives every tenant the built-in skills that it lacks in the environment. */
export async function giveAllBuiltIns(
  database: Sql,
  environment: string,
  now: Date,
  { skills, tenant_id }: Given = {},
): Promise<void> {
  const values = [tenant_id ?? null, environment, JSON.stringify(skills ?? (await builtInSkills())), now]
  while ((await database.rows(GIVE, values)).length === BATCH);
}
