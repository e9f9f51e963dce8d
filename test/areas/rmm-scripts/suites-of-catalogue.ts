/** Cases of the catalogue of scripts and of devices, for the suites of all operations. */
import fc from 'fast-check'
import type { LocalRmmDevice, RmmScript } from '../../../src/db/generated/client/client.ts'
import { addLocalDevices, addScripts } from '../../setup/rmm-scripts.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { at, instant, isEqual, isIn, type ListSampler } from '../../setup/suites/sampler.ts'
import { some, textOrNone } from '../../setup/suites/sent-back.ts'
import { showConnected } from '../../setup/syncs.ts'
import type { Msp } from '../../setup/world.ts'

/** Shows NinjaOne as connected, if it is not yet. */
export async function connectRmm(msp: Pick<Msp, 'database' | 'tenant_id' | 'environment'>): Promise<void> {
  const where = { tenant_id: msp.tenant_id, environment: msp.environment, name: 'ninjaone' }
  const known = await msp.database.prisma.integrationConnection.findFirst({ where })
  if (!known) await showConnected(msp as Msp, 'ninjaone')
}

const isRunnable = ({ system, agent_enabled, removed_at }: RmmScript): boolean =>
  system === 'NINJAONE' && agent_enabled && removed_at === null

const rmm_scripts: ListSampler<RmmScript> = {
  async add(msp, numbers) {
    await connectRmm(msp)
    await addScripts(
      msp,
      numbers.map((n) => ({
        id: `scr_${n}`,
        system: n % 5 === 4 ? 'DATTO_RMM' : 'NINJAONE',
        name: at(['Delete files', 'Restart', 'Größe', 'restart'], n),
        description: n % 3 === 0 ? null : `Of the vendor ${n}`,
        agent_description: n % 4 === 0 ? 'Use it for printers' : null,
        category: at([null, 'Printers', 'Disks'], n),
        shell: at(['POWERSHELL', 'BASH', 'CMD'] as const, n),
        platforms: at([['WINDOWS'], ['MACOS', 'LINUX'], []] as ('WINDOWS' | 'MACOS' | 'LINUX')[][], n),
        risk: at(['UNKNOWN', 'READ_ONLY', 'DESTRUCTIVE'] as const, n),
        agent_enabled: n % 2 === 0,
        removed_at: n % 6 === 0 ? instant(n) : null,
        created_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.rmmScript.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.rmmScript.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': [{ value: ({ name }) => name }, { value: ({ id }) => id }] },
  filters: {
    system: isEqual('system', ['NINJAONE', 'DATTO_RMM', 'HUDU']),
    shell: isEqual('shell', [['BASH'], ['BASH', 'CMD'], ['PYTHON']]),
    platform: {
      values: ['WINDOWS', 'LINUX'],
      meets: ({ platforms }, value: never) => platforms.length === 0 || platforms.includes(value),
    },
    category: isEqual('category', ['Printers', 'Nothing']),
    risk: isEqual('risk', [['READ_ONLY'], ['READ_ONLY', 'UNKNOWN'], ['CHANGES_STATE']]),
    runnable: { values: [true, false], meets: (row, value) => isRunnable(row) === value },
    search: isIn(
      ({ name, description, agent_description }) => [name, description, agent_description],
      ['restart', 'vendor 7', 'PRINTERS', 'nothing'],
    ),
  },
  steady: 'an RMM has some hundreds of scripts, whatever runs',
}

type Listed = Pick<LocalRmmDevice, 'device_id' | 'psa_company_id' | 'name' | 'last_user' | 'is_online'>

const rmm_devices: ListSampler<Listed> = {
  async add(msp, numbers) {
    await connectRmm(msp)
    await addLocalDevices(
      msp,
      numbers.map((n) => ({
        device_id: `dev_${n}`,
        psa_company_id: at(['psa_a', 'psa_b'], n),
        name: `LT-${n}`,
        last_user: n % 3 === 0 ? null : `ada.${n}`,
        is_online: n % 4 !== 0,
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.localRmmDevice.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, device_id) {
    await prisma.localRmmDevice.deleteMany({ where: { tenant_id, device_id } })
  },
  id: 'device_id',
  orders: { '': [{ value: ({ device_id }) => device_id }] },
  filters: {
    system: { values: ['NINJAONE', 'DATTO_RMM'], meets: (_row, value) => value === 'NINJAONE' },
    psa_company_id: isEqual('psa_company_id', ['psa_b', 'psa_c']),
    search: isIn(
      ({ name, last_user, device_id }) => [name, last_user, device_id],
      ['lt-1', 'ADA.7', 'DEV_2', 'nothing'],
    ),
    online: isEqual('is_online', [true, false]),
  },
  steady: 'the devices are the RMM’s, whose pages a request reads five of at most',
}

const script_id = from('rmm_scripts', 'id')

export const CATALOGUE = {
  who_may: {
    rmm_scripts: { scope: 'rmm_scripts:read' },
    rmm_script: { scope: 'rmm_scripts:read' },
    rmm_devices: { scope: 'rmm_scripts:read' },
    update_rmm_script: { scope: 'rmm_scripts:write' },
    sync_rmm_scripts: { scope: 'rmm_scripts:write' },
  },
  reads: {
    rmm_scripts: { page_size },
    rmm_script: { script_id, include_body: true },
    rmm_devices: { page_size },
  },
  writes: {
    update_rmm_script: {
      script_id,
      input: {
        agent_description: 'Frees space on the system drive. It deletes temporary files alone.',
        risk: 'CHANGES_STATE',
        agent_enabled: true,
        approval: 'ALWAYS',
      },
    },
    sync_rmm_scripts: { input: { system: 'NINJAONE' } },
  },
  async own_rows(msp, { id, mark }) {
    await connectRmm(msp)
    await addScripts(msp, [{ id: `scr_${id}`, external_id: `ext_${id}`, name: mark }])
    await addLocalDevices(msp, [{ device_id: `dev_${id}`, name: mark, psa_company_id: `psa_${id}` }])
    return { script_id: `scr_${id}` }
  },
  shown_with: { rmm_scripts: { system: 'NINJAONE' }, rmm_devices: { system: 'NINJAONE' } },
  lists: { rmm_scripts, rmm_devices },
  channel_writes: {
    update_rmm_script: {
      waits: 'for an approval',
      call: () => ({ script_id: 'scr_1', input: { agent_enabled: true } }),
    },
    sync_rmm_scripts: 'runs at once',
  },
  sent_back: {
    update_rmm_script: {
      bodies: () =>
        some({
          agent_description: textOrNone,
          risk: fc.constantFrom('READ_ONLY', 'CHANGES_STATE', 'DESTRUCTIVE', 'UNKNOWN'),
          agent_enabled: fc.boolean(),
          approval: fc.constantFrom('ALWAYS', 'BY_RISK'),
          secret_parameters: fc.constant([]),
        }),
    },
  },
} as const satisfies {
  who_may: AreaSuites['who_may']
  reads: AreaSuites['examples']['reads']
  writes: AreaSuites['examples']['writes']
  own_rows: AreaSuites['own_rows']
  shown_with: AreaSuites['shown_with']
  lists: AreaSuites['lists']
  channel_writes: AreaSuites['channel_writes']
  sent_back: AreaSuites['sent_back']
}
