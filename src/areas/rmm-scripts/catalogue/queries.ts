/** The table of scripts, and their list. */
import { ascending } from '../../../db/query/keyset.ts'
import { searchable } from '../../../lib/like-pattern.ts'
import { enumFrom } from '../../../schema/builder.ts'
import { searchFor } from '../../../schema/lists/list.ts'
import { defineTable } from '../../../schema/tables/table.ts'
import { CompanyLinkSystem, startsScripts } from '../../integrations/index.ts'
import { RmmScript, type ScriptRow, scriptEtag } from './script.ts'

const CAN_START = startsScripts('s.system')

const RUNNABLE = `(s.agent_enabled and s.removed_at is null and ${CAN_START})`

export const SCRIPT = defineTable<ScriptRow>()('RmmScript', {
  alias: 's',
  noun: 'rmm_script',
  type: RmmScript,
  argument: 'script_id',
  description: 'The `id` of the script.',
  not_found: 'rmm_script_not_found',
  prefix: 'scr',
  etag: scriptEtag,
  tagged: ['updated_at', 'synced_at', 'can_start'],
  computed: { can_start: CAN_START },
  // Bodies are large, and are read one at a time.
  unread: ['body'],
  constant: [
    'system',
    'external_id',
    'name',
    'description',
    'category',
    'shell',
    'platforms',
    'parameters',
    'default_timeout_seconds',
    'run_as_user',
    'body_sha256',
    'synced_at',
    'removed_at',
  ],
  // Columns that syncs write are left out: defaults of secret parameters are among them.
  recorded: (script) => ({
    system: script.system,
    external_id: script.external_id,
    name: script.name,
    agent_description: script.agent_description,
    risk: script.risk,
    agent_enabled: script.agent_enabled,
    approval: script.approval,
    secret_parameters: script.secret_parameters,
    body_sha256: script.body_sha256,
  }),
})

/** The scripts of all RMMs that were synced, by name. */
export const RMM_SCRIPTS = SCRIPT.list({
  name: 'rmm_scripts',
  order: [ascending('name', 'text'), ascending('id', 'text')],
  filters: {
    system: {
      type: CompanyLinkSystem,
      description: 'Only scripts of this RMM.',
      where: 's.system = ?::text',
    },
    shell: SCRIPT.by.isOneOf('shell', 'Only scripts for one of these shells'),
    platform: {
      type: enumFrom('ScriptPlatform'),
      description: 'Only scripts that run on this operating system, those that name none included.',
      where: `(s.platforms = '{}' or ?::text::script_platform = any(s.platforms))`,
    },
    category: SCRIPT.by.is('category', 'Only scripts of this category of the RMM.'),
    risk: SCRIPT.by.isOneOf('risk', 'Only scripts of one of these risks'),
    runnable: {
      type: 'Boolean',
      description: 'true: only scripts that agents may run now. false: only the others.',
      where: (runnable) => ({ text: runnable ? RUNNABLE : `not ${RUNNABLE}` }),
    },
    search: searchFor(
      searchable(`concat_ws(e'\\n', s.name, s.description, s.agent_description)`),
      'Only scripts with this in their name or a description, in any letter case.',
    ),
  },
})
