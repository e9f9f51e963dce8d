/** Starts a sync of the scripts of the RMM. */
import { scope } from '../../access/policies/policies.ts'
import { bodyProblem, invalid } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import { CompanyLinkSystem, integrationOf } from '../integrations/index.ts'
import { rmmScripts } from '../rmm-scripts/index.ts'
import { startSync } from './start.ts'
import { IntegrationSync, syncEtag } from './sync.ts'

const RmmScriptSyncRequest = builder.inputType('RmmScriptSyncRequest', {
  description: 'The RMM whose scripts are read.',
  fields: (t) => ({
    system: t.field({ type: CompanyLinkSystem, required: true, description: 'The RMM, which is connected.' }),
  }),
})

rmmScripts.mutation('sync_rmm_scripts', (t) =>
  t.field({
    type: IntegrationSync,
    description:
      'Starts a sync of the scripts of the RMM. The answer is QUEUED; `integration_sync` tells how far it is. A script whose ' +
      'body has changed is no longer enabled for agents, unless it is READ_ONLY; a script that the RMM no longer has gets ' +
      '`removed_at`. If more than 20 scripts and more than a fifth of them are gone, none is marked, and the sync is PARTIAL: ' +
      '`sync_integration` with `accept_missing` marks them. A sync that is under way is answered with 409 `sync_already_running`.',
    rest: { method: 'POST', path: '/rmm-scripts/sync' },
    access: scope('rmm_scripts:write'),
    errors: ['integration_not_connected', 'sync_already_running'],
    etag: syncEtag,
    args: { input: t.arg({ type: RmmScriptSyncRequest, required: true }) },
    resolve: (_root, { input: { system } }, ctx) => {
      const integration = integrationOf(system)
      if (integration.category !== 'RMM') throw invalid([bodyProblem('system', 'unknown', 'is no RMM')])
      return startSync(ctx, integration, { is_full: true, accept_missing: false })
    },
  }),
)
