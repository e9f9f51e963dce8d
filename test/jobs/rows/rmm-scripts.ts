/** Rows of runs of scripts: those that are to be sent, those that are no longer kept, and those whose output is not. */
import { hash } from 'node:crypto'
import { addLocalDevices, addLocalScripts, addRun, addScript } from '../../setup/rmm-scripts.ts'
import { ago, LONG_AGO, type Rows } from './rows.ts'

export const RMM_SCRIPTS: Record<string, Rows> = {
  'rmm-scripts.work': {
    async store(msp) {
      await addScript(msp, { id: 'scr_work', body_sha256: hash('sha256', '') })
      await addLocalScripts(msp, [{ script_id: 'scr_work' }])
      await addLocalDevices(msp, [{ device_id: 'dev_work' }])
      const of = { script_id: 'scr_work', device_id: 'dev_work' }
      await addRun(msp, { ...of, id: 'rsr_work', status: 'QUEUED' })
      return { run_id: 'rsr_work' }
    },
    todo: `select 1 from rmm_script_run where environment = $1 and id = 'rsr_work' and status in ('QUEUED', 'RUNNING')`,
  },
  'rmm-scripts.delete_old_runs': {
    async store(msp) {
      await addScript(msp, { id: 'scr_old' })
      const of = { script_id: 'scr_old' }
      await addRun(msp, { ...of, id: 'rsr_old', created_at: LONG_AGO })
      await addRun(msp, { ...of, id: 'rsr_kept', created_at: ago(399) })
    },
    todo: `select 1 from rmm_script_run where environment = $1 and id = 'rsr_old' and (
      select count(*) from rmm_script_run where environment = $1 and id = 'rsr_kept') = 1`,
  },
  'rmm-scripts.clear_old_output': {
    async store(msp) {
      await addScript(msp, { id: 'scr_wrote' })
      const of = { script_id: 'scr_wrote' }
      await addRun(msp, { ...of, id: 'rsr_wrote', created_at: ago(31), stderr: 'Warning.' })
      await addRun(msp, { ...of, id: 'rsr_writes', created_at: ago(29) })
    },
    todo: `select 1 from rmm_script_run where environment = $1 and id = 'rsr_wrote'
      and (stdout is not null or stderr is not null) and (
      select count(*) from rmm_script_run where environment = $1 and id = 'rsr_writes' and stdout is not null) = 1`,
  },
}
