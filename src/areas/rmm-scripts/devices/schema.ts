import { scope } from '../../../access/policies/policies.ts'
import { SEARCH } from '../../../schema/bounds/bounds.ts'
import { pageArgs, pageOf } from '../../../schema/lists/page.ts'
import { CompanyLinkSystem } from '../../integrations/index.ts'
import { area } from '../area.ts'
import { RmmDevice } from './device.ts'
import { devicePage } from './read.ts'

area.query('rmm_devices', (t) =>
  t.field({
    type: pageOf(RmmDevice),
    description:
      'Lists the devices of the RMM as it has them now, in the order of the RMM. `search` and `online` are judged on the ' +
      'devices that are read, at most five pages of the RMM in a request: a page may be short, or empty, with `has_more` true.',
    rest: { method: 'GET', path: '/rmm-devices' },
    access: scope('rmm_scripts:read'),
    errors: ['integration_not_connected', 'upstream_unavailable'],
    args: {
      system: t.arg({
        type: CompanyLinkSystem,
        description: 'Only devices of this RMM: none if another one is connected.',
      }),
      psa_company_id: t.arg.id({
        min_length: 1,
        max_length: 200,
        description: 'Only devices of the company with this id in the PSA.',
      }),
      search: t.arg.string({
        ...SEARCH,
        description: 'Only devices with this in their name, last user or `device_id`, in any letter case.',
      }),
      online: t.arg.boolean({ description: 'true: only devices that are online. false: only the others.' }),
      ...pageArgs,
    },
    resolve: (_root, args, ctx) => devicePage(ctx, args),
  }),
)
