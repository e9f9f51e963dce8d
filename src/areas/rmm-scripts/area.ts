import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'RMM scripts',
  slug: 'rmm-scripts',
  description:
    'The scripts and devices of the RMM, and the runs of scripts. The tenant says which scripts agents may run and which runs a ' +
    'technician approves; a run is bound to the body that was approved, and keeps what the script wrote.',
  example: `
query WhatAgentsMayRun {
  rmm_scripts(runnable: true) {
    items { id name agent_description risk approval platforms parameters { name type required choices secret } }
    pagination { next_cursor has_more }
  }
}

# query WhereItRan {
#   rmm_script_runs(status: FAILED) { items { id script_name device_name status exit_code error_code stdout } }
# }

# mutation Enable {
#   update_rmm_script(script_id: "scr_…", input: { agent_enabled: true, risk: READ_ONLY, approval: BY_RISK }) { id runnable }
# }

# mutation Run {
#   run_rmm_script(script_id: "scr_…", input: { device_id: "dev_1", parameters: {} }) { id status til_request_id }
# }`,
})
