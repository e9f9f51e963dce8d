import { expect, it } from 'vitest'
import { TOOLS } from '../../../src/tools/registry.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { request } from '../../setup/http.ts'
import { world } from '../../setup/world.ts'

interface Tool {
  name: string
  title: string
  description: string
  system: string | null
  access: string
  permission_group: string | null
  grant_with: string | null
  available: boolean
}

describeApi('tool schemas', (api) => {
  const list = async (args = {}): Promise<Tool[]> => {
    const msp = await world()
    return (await api.call(msp.key, 'tool_schemas', args)).data
  }
  const names = (tools: readonly Tool[]) => tools.map(({ name }) => name)

  it('are of every tool that is not of run time, by name', async () => {
    const tools = await list()
    const listed = TOOLS.filter(({ grant }) => grant !== 'RUNTIME_ONLY')
    expect(names(tools)).toEqual(listed.map(({ name }) => name))
    expect(names(tools)).toEqual(names(tools).toSorted())
    expect(names(tools)).not.toContain('run.finish')
  })

  it('say of a tool what it takes, and how it is granted', async () => {
    const tools = await list()
    expect(tools.find(({ name }) => name === 'ticket.set_status')).toEqual({
      name: 'ticket.set_status',
      title: 'Change status',
      description: 'Gives a ticket another status of its board.',
      system: null,
      permission_group: 'TICKETS',
      access: 'WRITE',
      requires_approval: false,
      grant_with: 'integrations',
      available: true,
      input_schema: expect.objectContaining({
        required: ['ticket_id', 'status'],
        additionalProperties: false,
      }),
      output_schema: expect.objectContaining({ type: 'object' }),
      annotations: { read_only: false, destructive: false, idempotent: true, open_world: true },
    })
    const grants = Object.fromEntries(tools.map(({ name, grant_with }) => [name, grant_with]))
    expect(grants).toMatchObject({ 'memory.search': 'toolbox', 'technician.ask': null })
    const unavailable = tools.filter(({ available }) => !available)
    expect(names(unavailable)).toEqual(expect.arrayContaining(['mail.release', 'web.search']))
    expect(grants).toMatchObject({ 'escalation.raise': null })
    expect(names(unavailable)).not.toContain('escalation.raise')
  })

  it('are only those that the filters ask for', async () => {
    for (const { access } of await list({ access: 'READ' })) expect(access).toBe('READ')
    const groups = await list({ permission_group: 'IDENTITY', access: 'WRITE' })
    expect(names(groups)).toContain('identity.reset_password')
    expect(new Set(groups.map(({ permission_group }) => permission_group))).toEqual(new Set(['IDENTITY']))
    expect(names(await list({ search: ' RESET pass ' }))).toEqual(['identity.reset_password'])
    expect(await list({ search: '%' })).toEqual([])
    expect(names(await list({ search: 'run.finish' }))).toEqual([])
  })

  it('of a system are those that work there', async () => {
    const [entra, okta, hudu] = [
      names(await list({ system: 'MICROSOFT_ENTRA_ID' })),
      names(await list({ system: 'OKTA' })),
      names(await list({ system: 'HUDU' })),
    ]
    expect(entra).toContain('identity.list_sign_ins')
    expect(okta).toEqual(entra.filter((name) => name !== 'identity.list_sign_ins'))
    expect(hudu).toEqual(['document.create', 'document.read', 'document.search', 'document.update'])
  })

  it('refuse a system, a group and an access that do not exist', async () => {
    const msp = await world()
    for (const args of [{ system: 'HUD' }, { permission_group: 'X' }, { access: 'read' }, { search: '' }])
      expect(outcome(await api.call(msp.key, 'tool_schemas', args))).toEqual([
        422,
        'request_validation_failed',
      ])
  })
})

describeApi('event types', (api) => {
  it('are listed by name, each with the outline of its data', async () => {
    const msp = await world()
    const { data } = await api.call(msp.viewer, 'event_types')
    const types = data.map(({ type }: { type: string }) => type)
    expect(types).toEqual([...new Set(types)].toSorted())
    expect(types).toEqual(
      expect.arrayContaining([
        'execution.waiting',
        'til_request.answered',
        'agent.archived',
        'company_link.needs_review',
        'integration.sync_finished',
        'webhook_endpoint.disabled',
        'billing.threshold_reached',
      ]),
    )
    expect(data.find(({ type }: { type: string }) => type === 'agent.created')).toMatchObject({
      type: 'agent.created',
      severity: 'INFO',
      available: true,
      data_schema: expect.objectContaining({ required: expect.arrayContaining(['agent_id', 'state']) }),
    })
    const unavailable = data.filter(({ available }: { available: boolean }) => !available)
    const subjects = unavailable.map(({ type }: { type: string }) => type.split('.')[0])
    expect(subjects).toContain('channel')
    expect(types).not.toContain('escalation.exhausted')
  })
})

it.each(['/public-api/schemas/tools', '/public-api/schemas/event-types'])(
  '%s may be kept for five minutes and is not sent again unchanged',
  async (path) => {
    const msp = await world()
    const first = await request(path, {}, msp.key)
    expect(first.headers.get('cache-control')).toBe('private, max-age=300')
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    expect((await request(path, { headers }, msp.key)).status).toBe(304)
    expect((await request(`${path}?search=ticket&access=READ`, { headers }, msp.key)).status).toBe(
      path.endsWith('tools') ? 200 : 304,
    )
    expect((await request(path)).status).toBe(401)
  },
)
