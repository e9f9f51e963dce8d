import { hash } from 'node:crypto'
import { WORK } from '../../../src/areas/rmm-scripts/runs/declared.ts'
import { performWaiting } from '../../setup/due.ts'
import { addLocalDevices, addLocalScripts, addScript } from '../../setup/rmm-scripts.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from } from '../../setup/suites/calls.ts'
import { CATALOGUE, connectRmm } from './suites-of-catalogue.ts'
import { RUNS } from './suites-of-runs.ts'

export const SUITES: AreaSuites = {
  who_may: {
    ...CATALOGUE.who_may,
    ...RUNS.who_may,
    run_rmm_script: { scope: 'rmm_scripts:run' },
    cancel_rmm_script_run: { scope: 'rmm_scripts:run' },
  },
  examples: {
    reads: { ...CATALOGUE.reads, ...RUNS.reads },
    writes: {
      ...CATALOGUE.writes,
      run_rmm_script: {
        script_id: from('rmm_script_runs', 'script_id'),
        input: { device_id: from('rmm_script_runs', 'device_id'), timeout_seconds: 120 },
      },
      cancel_rmm_script_run: { run_id: from('run_rmm_script', 'id') },
    },
  },
  own_rows: async (msp, own) => ({
    ...(await CATALOGUE.own_rows(msp, own)),
    ...(await RUNS.own_rows(msp, own)),
  }),
  shown_with: CATALOGUE.shown_with,
  events: {
    async 'rmm_script_run.finished'({ msp, call }) {
      await connectRmm(msp)
      await addLocalDevices(msp, [{ device_id: 'dev_1' }])
      await addLocalScripts(msp, [{ script_id: 'scr_1' }])
      await addScript(msp, { body_sha256: hash('sha256', '') })
      await call('run_rmm_script', { script_id: 'scr_1', input: { device_id: 'dev_1' } })
      await performWaiting(msp, WORK.name)
    },
  },
  lists: { ...CATALOGUE.lists, ...RUNS.lists },
  nested_lists: RUNS.nested_lists,
  skewed_rows: { ...RUNS.skewed_rows },
  channel_writes: {
    ...CATALOGUE.channel_writes,
    run_rmm_script: 'runs at once',
    cancel_rmm_script_run: 'runs at once',
  },
  fetched_again: {
    run_rmm_script: ['rmm_script_runs'],
  },
  sent_back: CATALOGUE.sent_back,
  error_codes: {
    404: 'rmm_script_not_found rmm_script_run_not_found',
    409: 'script_not_enabled script_changed_since_approval script_removed device_offline script_run_not_cancellable',
  },
}
