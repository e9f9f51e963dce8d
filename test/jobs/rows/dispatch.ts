/** Rows of dispatch: tickets without a decision, decisions that wait for their technician, whose time is over, or that are no longer kept. */
import { addDecisions, addFamiliarity, setDispatch } from '../../setup/dispatch.ts'
import { addPsaTechnicians, addPsaTickets } from '../../setup/psa.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { ago, LONG_AGO, type Rows } from './rows.ts'

export const DISPATCH: Record<string, Rows> = {
  'dispatch.decide': {
    async store(msp) {
      await setDispatch(msp)
      await addPsaTickets(msp, [{ ticket_id: 'arrived' }])
      return { ticket_id: 'arrived' }
    },
    todo: `select 1 from psa_ticket where environment = $1 and ticket_id = 'arrived' and not exists (
      select from dispatch_decision d where d.environment = $1 and d.ticket_id = 'arrived')`,
  },
  'dispatch.assign': {
    async store(msp) {
      await setDispatch(msp)
      const [technician_id = 0] = await addTechnicians(msp, [{ psa_id: 4711 }])
      await addPsaTechnicians(msp, [{ psa_id: 4711 }])
      await addPsaTickets(msp, [{ ticket_id: 'dispatched' }])
      const of = { ticket_id: 'dispatched', suggested_technician_id: technician_id }
      await addDecisions(msp, [{ id: 'dsp_assign', is_automatic: true, ...of }])
      return { decision_id: 'dsp_assign' }
    },
    todo: `select 1 from dispatch_decision where environment = $1 and id = 'dsp_assign' and is_automatic and status = 'SUGGESTED'`,
  },
  'dispatch.expire': {
    store: (msp) => addDecisions(msp, [{ id: 'dsp_over', expires_at: LONG_AGO }]),
    todo: `select 1 from dispatch_decision where environment = $1 and id = 'dsp_over' and status = 'SUGGESTED'`,
  },
  'dispatch.delete_old_decisions': {
    store: (msp) =>
      addDecisions(msp, [
        { id: 'dsp_old', status: 'APPLIED', created_at: LONG_AGO },
        { id: 'dsp_kept', status: 'APPLIED', created_at: ago(399) },
      ]),
    todo: `select 1 from dispatch_decision where environment = $1 and id = 'dsp_old' and (
      select count(*) from dispatch_decision where environment = $1 and id = 'dsp_kept') = 1`,
  },
  'dispatch.delete_old_familiarity': {
    store: (msp) =>
      addFamiliarity(msp, [
        { psa_id: 1, last_at: ago(91) },
        { psa_id: 2, last_at: ago(89) },
      ]),
    todo: `select 1 from dispatch_familiarity where environment = $1 and psa_id = 1 and (
      select count(*) from dispatch_familiarity where environment = $1 and psa_id = 2) = 1`,
  },
}
