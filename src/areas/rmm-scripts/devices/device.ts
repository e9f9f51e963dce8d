/** Devices of the RMM, as callers see them. */
import type { RmmListedDevice } from '../../../connectors/rmm.ts'
import { builder, enumFrom } from '../../../schema/builder.ts'
import { CompanyLinkSystem } from '../../integrations/index.ts'

export interface Device extends RmmListedDevice {
  system: CompanyLinkSystem
}

export const RmmDevice = builder.objectRef<Device>('RmmDevice').implement({
  description: 'A device as the RMM has it now. Devices are not stored.',
  fields: (t) => ({
    device_id: t.exposeID('device_id', { description: 'The id of the device in the RMM.' }),
    system: t.expose('system', { type: CompanyLinkSystem, description: 'The RMM.' }),
    name: t.exposeString('name', { description: 'The name of the device.' }),
    psa_company_id: t.exposeID('psa_company_id', {
      nullable: true,
      description:
        'The id of the device’s company in the PSA. null: the device belongs to no company of the PSA.',
    }),
    platform: t.expose('platform', {
      type: enumFrom('RmmPlatform'),
      description: 'The operating system of the device.',
    }),
    online: t.exposeBoolean('online', { description: 'True if the RMM reaches the device.' }),
    last_seen_at: t.expose('last_seen_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the RMM last reached the device. null: the RMM does not tell.',
    }),
    last_user: t.exposeString('last_user', {
      nullable: true,
      description: 'The user who last signed in to the device. null: the RMM names none.',
    }),
  }),
})
