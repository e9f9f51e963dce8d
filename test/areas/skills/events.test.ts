import { expect, it } from 'vitest'
import { giveAllBuiltIns } from '../../../src/areas/skills/built-in.ts'
import { addAgents } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { raised, typesRaised } from '../../setup/raised.ts'
import { world } from '../../setup/world.ts'
import { create, restore, setAgents, update } from './calls.ts'

describeApi('the events of skills', (api) => {
  it('tell of each change, which kind it is, and the fields that changed', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const { data } = await create(api, msp.admin)
    await update(api, msp.admin, data.id, { name: 'Printers' })
    await update(api, msp.admin, data.id, { status: 'DISABLED', agent_ids: [1] })
    await restore(api, msp.admin, data.id, 1)
    await setAgents(api, msp.admin, data.id, [])
    await api.call(msp.admin, 'archive_skill', { skill_id: data.id })
    const told = (
      change: string,
      name: string,
      status: string,
      version: number,
      changed_fields: string[],
    ) => ({
      type: 'skill.updated',
      entity_id: data.id,
      agent_id: null,
      data: {
        skill_id: data.id,
        slug: 'printer-moves',
        name,
        status,
        source: 'TENANT',
        version,
        change,
        changed_fields,
      },
    })
    expect(await raised(msp)).toEqual([
      told('CREATED', 'Printer moves', 'ACTIVE', 1, []),
      told('CHANGED', 'Printers', 'ACTIVE', 2, ['name']),
      told('CHANGED', 'Printers', 'DISABLED', 2, ['agent_ids', 'status']),
      told('RESTORED', 'Printer moves', 'DISABLED', 3, ['name']),
      told('AGENTS_SET', 'Printer moves', 'DISABLED', 3, ['agent_ids']),
      told('ARCHIVED', 'Printer moves', 'ARCHIVED', 3, ['status']),
    ])
  })

  it('tell of a skill whose status is set to ARCHIVED as of any other that is archived', async () => {
    const msp = await world()
    const { data } = await create(api, msp.admin)
    await update(api, msp.admin, data.id, { status: 'ARCHIVED' })
    expect(await raised(msp)).toMatchObject([
      { data: { change: 'CREATED' } },
      { data: { change: 'ARCHIVED', changed_fields: ['status'] } },
    ])
  })

  it('are not raised if nothing changes, for a replay, or for built-in skills that a tenant is given', async () => {
    const msp = await world()
    const key = { 'idempotency-key': 'once' }
    const { data } = await create(api, msp.admin, {}, key)
    await create(api, msp.admin, {}, key)
    await update(api, msp.admin, data.id, { name: 'Printer moves' })
    await restore(api, msp.admin, data.id, 1)
    await setAgents(api, msp.admin, data.id, [])
    const { tenant_id, environment, database } = msp
    await giveAllBuiltIns(database.sql, environment, clock.now(), { tenant_id })
    expect(await database.prisma.skill.count({ where: { tenant_id } })).toBeGreaterThan(1)
    expect(await typesRaised(msp)).toEqual(['skill.updated'])
  })
})
