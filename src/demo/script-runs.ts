/** The runs of scripts of the demo MSP: those that people asked for, and those of its agents. */
import { RmmScriptRunStatus } from '../db/generated/client/client.ts'
import { hashOf, SCRIPTS, scriptIdOf } from './scripts.ts'
import { insertMany, randomOf, type Seeding } from './seeding.ts'
import { fields, number, oneOf, optional, table, text } from './table.ts'

/** `asked`: days ago. `seconds`: from the start to the end; empty if the run was not started. */
const RUNS = table(
  {
    asked: number,
    script: text,
    status: oneOf(RmmScriptRunStatus),
    seconds: optional(number),
    error_code: optional(text),
    by: text,
    parameters: fields,
  },
  `
  0.1 | scr_spooler | SUCCEEDED | 5  |                | Aisha Rahman     |
  0.3 | scr_temp    | SUCCEEDED | 7  |                | Chidi Okafor     | "scope": "ALL", "older_than_days": 14
  0.9 | scr_vpn     | FAILED    | 6  |                | Elin Lindqvist   | "server": "vpn.alderfinch.example", "shared_key": "[secret]"
  1.4 | scr_dns     | SUCCEEDED | 2  |                | Vivian Ng        |
  2.2 | scr_admin   | SUCCEEDED | 4  |                | Tomasz Zieliński | "account": "Administrator", "new_password": "[secret]"
  3.1 | scr_temp    | CANCELLED |    |                | Chidi Okafor     | "scope": "USER"
  4.6 | scr_updates | TIMED_OUT | 3600 |              | Gareth Hughes    |
  6.0 | scr_spooler | FAILED    |    | device_offline | Aisha Rahman     |
  9.5 | scr_temp    | SUCCEEDED | 8  |                | Gareth Hughes    | "scope": "SYSTEM", "empty_recycle_bin": true
`,
)

/** Runs of agents. */
const RUNS_OF_AGENTS = 4
const SCRIPT_OF_AGENTS = 'scr_disk'

interface Device {
  device_id: string
  name: string
  platform: string
  psa_company_id: string
}

interface Worked {
  execution_id: string
  agent_id: number
  agent_name: string
  entity_id: string
  entity_number: string | null
  psa_company_id: string
  started_at: Date
}

/** The latest finished executions on tickets of companies, with time for a run. */
async function workOfAgents({ tx, tenancy: { tenant_id, environment } }: Seeding): Promise<Worked[]> {
  return await tx.$queryRaw<Worked[]>`
    select e.execution_id, e.agent_id, a.name as agent_name, e.entity_id, e.entity_number, t.psa_company_id, e.started_at
    from execution e
    join agent a on a.tenant_id = e.tenant_id and a.environment = e.environment and a.id = e.agent_id
    join psa_ticket t on t.tenant_id = e.tenant_id and t.environment = e.environment and t.ticket_id = e.entity_id
    join local_rmm_device d on d.tenant_id = t.tenant_id and d.environment = t.environment
      and d.psa_company_id = t.psa_company_id and d.name = 'SRV-FILE01'
    where e.tenant_id = ${tenant_id} and e.environment = ${environment} and e.entity_type = 'TICKET'
      and e.status = 'COMPLETED' and e.finished_at > e.started_at + interval '30 seconds'
    order by e.started_at desc, e.execution_id limit ${RUNS_OF_AGENTS}`
}

interface Asked {
  script: string
  device: Device
  status: RmmScriptRunStatus
  created_at: Date
  seconds: number | null
  error_code: string | null
  parameters: object
  requested_by_name: string
}

/** The columns of a run, but for its id and those of an agent. */
function runOf({ script: script_id, device, status, created_at, seconds, ...asked }: Asked) {
  const script = SCRIPTS.find((one) => one.script_id === script_id)
  if (!script) throw new Error(`There is no script ${script_id}`)
  const started_at = seconds === null ? null : new Date(created_at.getTime() + 2000)
  const finished_at = new Date(created_at.getTime() + 2000 + (seconds ?? 0) * 1000)
  const has_output = status === 'SUCCEEDED' || (status === 'FAILED' && started_at !== null)
  return {
    script_id: scriptIdOf(script_id),
    script_name: script.name,
    body_sha256: hashOf(script),
    device_id: device.device_id,
    device_name: device.name,
    psa_company_id: device.psa_company_id,
    status,
    exit_code: has_output ? (script.exit_code ?? 0) : null,
    stdout: has_output ? (script.stdout ?? '').replace('{device}', device.name) : null,
    stderr: has_output ? (script.stderr ?? '') : null,
    stdout_truncated: false,
    stderr_truncated: false,
    timeout_seconds: script.default_timeout_seconds ?? 90,
    revision: status === 'CANCELLED' ? 2 : 1,
    created_at,
    started_at,
    finished_at,
    updated_at: finished_at,
    ...asked,
  }
}

const NO_AGENT = {
  agent_id: null,
  agent_name: null,
  execution_id: null,
  entity_id: null,
  entity_number: null,
}

export async function seedScriptRuns(seeding: Seeding): Promise<void> {
  const { tx, tenancy, ago } = seeding
  const random = randomOf('script-runs')
  const devices = await tx.localRmmDevice.findMany({
    where: { ...tenancy, is_online: true },
    orderBy: { device_id: 'asc' },
  })
  const of_people = RUNS.map(({ asked, script, by, ...run }) => {
    const platforms = SCRIPTS.find(({ script_id }) => script_id === script)?.platforms ?? ['WINDOWS']
    const fitting = devices.filter(({ platform }) => (platforms as readonly string[]).includes(platform))
    const created_at = ago(asked)
    return {
      ...runOf({ ...run, script, device: random.pick(fitting), created_at, requested_by_name: by }),
      ...NO_AGENT,
    }
  })
  const of_agents = (await workOfAgents(seeding)).flatMap(({ psa_company_id, started_at, ...work }) => {
    const device = devices.find((one) => one.psa_company_id === psa_company_id && one.name === 'SRV-FILE01')
    if (!device) return []
    const run = runOf({
      script: SCRIPT_OF_AGENTS,
      device,
      status: 'SUCCEEDED',
      created_at: new Date(started_at.getTime() + 5000),
      seconds: 3,
      error_code: null,
      parameters: {},
      requested_by_name: work.agent_name,
    })
    return [{ ...run, ...work }]
  })
  const runs = [...of_people, ...of_agents].map((run, index) => ({
    ...tenancy,
    id: `rsr_demo_${index + 1}`,
    ...run,
  }))
  await insertMany(tx, 'rmm_script_run', runs)
}
