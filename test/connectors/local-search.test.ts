/** Searches of the tools in the stand-ins of the service: text is found in whatever Unicode form it is. */
import { describe, expect, it } from 'vitest'
import { techniciansForTools } from '../../src/areas/technicians/for-tools.ts'
import { addPsaContacts, addPsaTickets, portContext, psaOfTenant } from '../setup/psa.ts'
import { type Msp, world } from '../setup/world.ts'

const FORMS = ['NFC', 'NFD', 'NFKC'] as const

describe.each(FORMS)('a name that is stored in %s', (form) => {
  const name = 'Café Ｎoël'.normalize(form)

  async function named(): Promise<Msp> {
    const msp = await world()
    await addPsaContacts(msp, [{ contact_id: '1', psa_company_id: 'c', name }])
    await addPsaTickets(msp, [{ ticket_id: '1', psa_company_id: 'c', title: name }])
    const { tenant_id, environment, database } = msp
    const stamps = { created_at: new Date(), updated_at: new Date() }
    await database.prisma.technicianProfile.create({
      data: { tenant_id, environment, id: 1, psa_id: 1, name, ...stamps },
    })
    return msp
  }

  it.each(FORMS)('is found by words in %s', async (asked) => {
    const msp = await named()
    const words = 'CAFÉ noël'.normalize(asked)
    const psa = psaOfTenant(msp)
    const search = { words, psa_company_id: 'c', limit: 5 }
    expect(await psa.searchContacts(search)).toHaveLength(1)
    expect(await psa.searchTickets({ ...search, open_only: true, contact_id: null })).toHaveLength(1)
    expect(await techniciansForTools(portContext(msp)).search(words, 5)).toHaveLength(1)
  })
})
