/** Items of inboxes about tickets that are dispatched. */
import { afterEach, beforeAll, expect, it } from 'vitest'
import { dispatchEvent } from '../../../src/areas/dispatch/events.ts'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { happened, inboxMsp, itemsOf, prefer, tidyUp } from '../../setup/inboxes.ts'
import { makeTechnician } from '../../setup/til-requests.ts'
import { days, type Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

const DECISION = {
  id: 'dsp_1',
  ticket_id: '1',
  ticket_number: 'T-1',
  status: 'SUGGESTED',
  chosen_technician_id: 7,
  agent_id: null,
  execution_id: null,
} as const

const SUGGESTED = dispatchEvent('suggested', DECISION)
const NONE_FITS = dispatchEvent('none_fits', { ...DECISION, status: 'NONE_FITS', chosen_technician_id: null })
const APPLIED = dispatchEvent('applied', { ...DECISION, status: 'APPLIED' })
const OVERRIDDEN = dispatchEvent('overridden', { ...DECISION, status: 'OVERRIDDEN', chosen_technician_id: 8 })

/** A tenant whose USER is technician 7, and whose VIEWER is technician 8. */
async function technicians(): Promise<Msp> {
  const msp = await inboxMsp()
  await makeTechnician(msp, msp.user.id, 7)
  await makeTechnician(msp, msp.viewer.id, 8)
  return msp
}

const GIVEN = { title: 'Ticket T-1 is yours', action_required: false, resolved: false }

describeApi('the inbox', (api) => {
  const inboxOf = async (caller: Msp['user']) =>
    (await api.call(caller, 'inbox', { kind: ['DISPATCH'] })).data
  const titles = async (caller: Msp['user']) =>
    (await inboxOf(caller)).map(({ title, resolved }: { title: string; resolved: boolean }) => [
      title,
      resolved,
    ])

  it('of the chosen technician has the suggestion, and that of nobody else', async () => {
    const msp = await technicians()
    await happened(msp, SUGGESTED)
    expect(await inboxOf(msp.user)).toMatchObject([
      {
        kind: 'DISPATCH',
        severity: 'INFO',
        title: 'Ticket T-1 is suggested for you',
        subject: { type: 'DISPATCH_DECISION', id: 'dsp_1' },
        action_required: true,
        resolved: false,
        affected_entity_numbers: ['T-1'],
      },
    ])
    for (const caller of [msp.viewer, msp.admin, msp.owner]) expect(await inboxOf(caller)).toEqual([])
  })

  it('says that the ticket is given once the suggestion is applied, which settles it', async () => {
    const msp = await technicians()
    await happened(msp, SUGGESTED)
    await happened(msp, APPLIED)
    expect(await titles(msp.user)).toEqual(
      expect.arrayContaining([
        ['Ticket T-1 is suggested for you', true],
        ['Ticket T-1 is yours', false],
      ]),
    )
    expect(await titles(msp.viewer)).toEqual([])
  })

  it('of the technician who is chosen instead says so, and the suggestion is settled', async () => {
    const msp = await technicians()
    await happened(msp, SUGGESTED, OVERRIDDEN)
    expect(await titles(msp.user)).toEqual([['Ticket T-1 is suggested for you', true]])
    expect(await inboxOf(msp.viewer)).toMatchObject([GIVEN])
  })

  it('of ADMINs and OWNERs has what no technician fits, until somebody is chosen', async () => {
    const msp = await technicians()
    await happened(msp, NONE_FITS)
    for (const caller of [msp.admin, msp.owner])
      expect(await inboxOf(caller)).toMatchObject([
        {
          severity: 'WARNING',
          title: 'No technician fits a ticket (ticket T-1)',
          action_required: true,
          resolved: false,
        },
      ])
    expect(await inboxOf(msp.user)).toEqual([])
    await happened(msp, OVERRIDDEN)
    expect(await titles(msp.admin)).toEqual([['No technician fits a ticket (ticket T-1)', true]])
    expect(await inboxOf(msp.viewer)).toMatchObject([GIVEN])
  })
})

it.each(['EXPIRED', 'FAILED'] as const)('a decision that is %s settles its suggestion', async (status) => {
  const msp = await technicians()
  await happened(msp, SUGGESTED)
  await happened(msp, dispatchEvent('closed', { ...DECISION, status }))
  const suggestions = (await itemsOf(msp)).filter(({ user_id }) => user_id === msp.user.id)
  expect(suggestions).toMatchObject([{ resolved: true }])
})

it('administrators learn that the PSA refused a technician', async () => {
  const msp = await technicians()
  await happened(msp, dispatchEvent('closed', { ...DECISION, status: 'FAILED' }))
  const items = await itemsOf(msp)
  expect(items.map(({ user_id }) => user_id).sort()).toEqual([msp.admin.id, msp.owner.id].sort())
  for (const item of items)
    expect(item).toMatchObject({
      severity: 'WARNING',
      title: 'A ticket could not be given to its technician (ticket T-1)',
    })
})

it('nobody is asked after a day who takes a ticket that no technician fits', async () => {
  const msp = await technicians()
  await happened(msp, NONE_FITS)
  await tidyUp()
  expect((await itemsOf(msp)).map(({ resolved }) => resolved)).toEqual([false, false])
  clock.advance(days(1))
  await tidyUp()
  expect((await itemsOf(msp)).map(({ resolved }) => resolved)).toEqual([true, true])
})

it('a kind that is quiet makes no item, and one that is mailed asks for a mail', async () => {
  const msp = await technicians()
  await prefer(msp, msp.user.id, { quiet_kinds: ['DISPATCH'] })
  await prefer(msp, msp.viewer.id, { mail_kinds: ['DISPATCH'] })
  await happened(msp, SUGGESTED, OVERRIDDEN)
  const items = await itemsOf(msp)
  expect(items).toMatchObject([{ user_id: msp.viewer.id, mail_asked_at: expect.any(Date) }])
})
