/** A white-label app that is installed at a company of a new tenant, and a user of its tab. */
import { randomUUID } from 'node:crypto'
import type { ChannelCreateManyInput } from '../../../src/db/generated/client/models.ts'
import { addAgents } from '../../setup/agents.ts'
import { type Answer, apis } from '../../setup/api.ts'
import { clock, signTabToken, type TabClaims } from '../../setup/app.ts'
import { addCompanies } from '../../setup/companies.ts'
import { addPsaContacts } from '../../setup/psa.ts'
import { type Msp, world } from '../../setup/world.ts'

const [rest] = apis.filter(({ name }) => name === 'rest')
if (!rest) throw new Error('There is no REST')

export const EMAIL = 'ada@alder.test'

export interface Tab {
  msp: Msp
  /** The workplace-suite tenant. */
  tid: string
  /** An SSO token of the user, or of one with other claims. */
  token(claims?: Partial<TabClaims>): Promise<string>
  /** A call with the user's token, or another one. */
  ask(token?: string): Promise<Answer>
}

/** A call with the token. */
const askWith = (token: string): Promise<Answer> => rest.call({ id: '', token }, 'end_user_tickets')

let agents = 0

/** Installs a channel's app in the workplace-suite tenant. */
export async function install(
  msp: Msp,
  tid: string,
  { installed_at = clock.now(), status = 'ACTIVE' as 'ACTIVE' | 'UNINSTALLED' } = {},
  channel: Partial<ChannelCreateManyInput> = {},
): Promise<string> {
  const { tenant_id, environment, database } = msp
  const agent_id = 1_300_000_000 + ++agents
  const now = clock.now()
  await addAgents(msp, [{ id: agent_id, name: 'Help', autonomy_type: 'CONVERSATIONAL' }])
  const id = `chn_${randomUUID()}`
  await database.prisma.channel.create({
    data: {
      tenant_id,
      environment,
      id,
      agent_id,
      name: 'Help',
      display_name: 'Help',
      transport: 'WHITE_LABEL_TEAMS_APP',
      audience: 'END_USERS',
      status: 'ACTIVE',
      tickets_tab_enabled: true,
      created_at: now,
      updated_at: now,
      ...channel,
    },
  })
  await database.prisma.channelInstall.create({
    data: {
      tenant_id,
      environment,
      id: `ins_${id}`,
      channel_id: id,
      workplace_tenant_id: tid,
      installed_at,
      status,
    },
  })
  return id
}

/** The company is `a` with `psa_a`, its contact is `11` with the user's address. */
export async function tab({ installed = true, mapped = true, known = true } = {}): Promise<Tab> {
  const msp = await world()
  const tid = randomUUID()
  const oid = randomUUID()
  await addCompanies(msp, [{ id: 'a', workplace_tenant_id: mapped ? tid : null }, { id: 'b' }])
  if (installed) await install(msp, tid)
  if (known) await addPsaContacts(msp, [{ contact_id: '11', psa_company_id: 'psa_a', email: EMAIL }])
  const token = (claims: Partial<TabClaims> = {}) =>
    signTabToken({ tid, oid, preferred_username: EMAIL, ...claims })
  return { msp, tid, token, ask: async (sent) => askWith(sent ?? (await token())) }
}
