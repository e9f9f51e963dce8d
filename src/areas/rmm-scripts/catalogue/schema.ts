import { scope } from '../../../access/policies/policies.ts'
import { db, ownKey } from '../../../db/db.ts'
import type { Context } from '../../../gateway/context.ts'
import { approvalAlways } from '../../../schema/approval.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { onTable } from '../../../schema/tables/operations.ts'
import { area } from '../area.ts'
import { RmmScriptUpdate, rulesOf } from './input.ts'
import { RMM_SCRIPTS, SCRIPT } from './queries.ts'
import { scriptEtag } from './script.ts'

const readers = scope('rmm_scripts:read')

const scripts = onTable(area, SCRIPT)

scripts.list('rmm_scripts', RMM_SCRIPTS, {
  description: 'Lists the scripts of the RMM by name, as the last sync read them; without their bodies.',
  rest: { method: 'GET', path: '/rmm-scripts' },
  access: readers,
})

async function bodyOf(ctx: Context, id: string): Promise<string | null> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id }) }
  return (await db(ctx).rmmScript.findUnique({ where, select: { body: true } }))?.body ?? null
}

area.query('rmm_script', (t) =>
  t.field({
    type: SCRIPT.type,
    description: 'Gets a script of the RMM, with its body if that is asked for.',
    rest: { method: 'GET', path: '/rmm-scripts/{script_id}' },
    access: readers,
    errors: [SCRIPT.not_found],
    etag: scriptEtag,
    args: {
      script_id: t.arg(SCRIPT.key),
      include_body: t.arg.boolean({
        defaultValue: false,
        description: 'true: `body` has the text of the script.',
      }),
    },
    async resolve(_root, { script_id, include_body }, ctx, info) {
      const script = await SCRIPT.select(ctx, script_id, wantedFields(info))
      return include_body ? { ...script, shown_body: await bodyOf(ctx, script_id) } : script
    },
  }),
)

scripts.change('update_rmm_script', {
  description:
    'Changes the rules by which agents run a script. All else is the RMM’s, and changes by syncs. A run that waits for its ' +
    'approval keeps the script that was asked for.',
  rest: { method: 'PUT', path: '/rmm-scripts/{script_id}' },
  errors: ['secret_in_content'],
  access: scope('rmm_scripts:write'),
  approval: approvalAlways('DEVICES'),
  input: RmmScriptUpdate,
  change: (_ctx, { input }) => ({ verb: 'updated', decide: (script) => rulesOf(script, input) }),
})
