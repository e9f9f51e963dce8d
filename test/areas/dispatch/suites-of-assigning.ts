/** Cases of apply and override, for the suites of all operations. */
import { addDecisions, setDispatch } from '../../setup/dispatch.ts'
import { addPsaTechnicians, addPsaTickets } from '../../setup/psa.ts'
import type { AreaSuites, EventScene } from '../../setup/suites/area.ts'
import { from } from '../../setup/suites/calls.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { changeTicket, happen } from '../callbacks/events.ts'

/** A suggestion of technician 1 that can be applied and overridden. */
async function addOpen({ msp }: EventScene): Promise<string> {
  const decision_id = `dsp_${msp.tenant_id}`
  await setDispatch(msp)
  await addTechnicians(msp, [{ id: 1 }, { id: 2 }])
  await addPsaTechnicians(msp, [{ psa_id: 1 }, { psa_id: 2 }])
  await addPsaTickets(msp, [{ ticket_id: '4711' }])
  await addDecisions(msp, [{ id: decision_id, ticket_id: '4711' }])
  return decision_id
}

export const ASSIGNING = {
  who_may: {
    apply_dispatch_decision: { scope: 'dispatch:write' },
    override_dispatch_decision: { scope: 'dispatch:write' },
  },
  writes: {
    apply_dispatch_decision: { decision_id: from('dispatch_decisions', 'id') },
    override_dispatch_decision: {
      decision_id: from('dispatch_decisions', 'id', 1),
      input: { technician_id: 4, comment: 'Knows the site, and is on the phone with the customer.' },
    },
  },
  events: {
    async 'dispatch.applied'(scene) {
      await scene.call('apply_dispatch_decision', { decision_id: await addOpen(scene) })
    },
    async 'dispatch.overridden'(scene) {
      const input = { technician_id: 2, comment: 'Knows the customer.' }
      await scene.call('override_dispatch_decision', { decision_id: await addOpen(scene), input })
    },
    async 'dispatch.closed'(scene) {
      await addOpen(scene)
      await changeTicket(scene.msp, { assignee_psa_id: 2 }, '4711')
      await happen(scene.msp, [{ entity_id: '4711' }])
    },
  },
  channel_writes: {
    apply_dispatch_decision: 'runs at once',
    override_dispatch_decision: 'runs at once',
  },
} as const satisfies Partial<AreaSuites> & { writes: AreaSuites['examples']['writes'] }
