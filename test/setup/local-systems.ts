/** A tenant's local RMM, documentation, identity provider and team chat, with what tests put into them. */
import { clock } from './app.ts'
import { addCompanies } from './companies.ts'
import { addPsaContacts, addPsaTechnicians } from './psa.ts'
import { days, type Msp, world } from './world.ts'

const ago = (count: number): Date => new Date(clock.now().getTime() - days(count))

/** The integrations that the local systems stand for. */
const SYSTEMS = ['ninjaone', 'hudu', 'sharepoint', 'microsoft-entra-id', 'pax8', 'microsoft-teams']

export async function connect(msp: Msp, names: readonly string[] = SYSTEMS): Promise<void> {
  const { tenant_id, environment } = msp
  await msp.database.prisma.integrationConnection.createMany({
    data: names.map((name) => ({ tenant_id, environment, name, connected: true, updated_at: clock.now() })),
  })
}

/** A tenant with the companies a and b, contacts, technician 7, and a few things in every local system. */
export async function equippedMsp(): Promise<Msp> {
  const msp = await world()
  const { tenant_id, environment, database } = msp
  const own = { tenant_id, environment }
  const a = { ...own, psa_company_id: 'psa_a' }
  const b = { ...own, psa_company_id: 'psa_b' }
  const { prisma } = database
  await addCompanies(msp, [
    { id: 'a', name: 'Alpha' },
    { id: 'b', name: 'Beta' },
  ])
  await addPsaTechnicians(msp, [{ psa_id: 7, name: 'Gus' }])
  await addPsaContacts(msp, [
    { contact_id: '11', psa_company_id: 'psa_a', name: 'Ada' },
    { contact_id: '21', psa_company_id: 'psa_b', name: 'Bo' },
  ])
  await prisma.localRmmDevice.createMany({
    data: [
      {
        ...a,
        device_id: 'd1',
        name: 'ALPHA-01',
        serial_number: 'SN-77',
        platform: 'WINDOWS',
        last_user: 'ada',
        free_disk_bytes: 5_000_000_000n,
        missing_patches: 3,
        last_seen_at: ago(0.1),
        software: [{ name: 'Editor', version: '1.2' }],
      },
      { ...b, device_id: 'd2', name: 'beta-mac', platform: 'MACOS' },
    ],
  })
  await prisma.localRmmAlert.createMany({
    data: [
      { ...own, alert_id: 'al1', device_id: 'd1', severity: 'WARNING', text: 'Disk full', raised_at: ago(2) },
      { ...own, alert_id: 'al2', device_id: 'd2', severity: 'INFO', text: 'Disk fan', raised_at: ago(1) },
      {
        ...own,
        alert_id: 'al3',
        device_id: 'd1',
        severity: 'CRITICAL',
        text: 'Disk gone',
        raised_at: ago(3),
        cleared_at: ago(2.5),
      },
    ],
  })
  await prisma.localRmmScript.createMany({
    data: [
      { ...own, script_id: 's1', name: 'Clean up', body: 'Remove-Item C:\\Temp', stdout: 'Cleaned {device}' },
      { ...own, script_id: 's2', name: 'Wipe', body: 'Wipe it' },
    ],
  })
  await prisma.localDocument.createMany({
    data: [
      {
        ...a,
        document_id: 'doc1',
        title: 'Printers',
        folder_id: 'f1',
        updated_at: ago(2),
        text: 'The printer is on floor 2.\nPassword: hunter2 of all',
      },
      { ...b, document_id: 'doc2', title: 'Wifi', text: 'Two networks.', updated_at: ago(1) },
      { ...own, document_id: 'doc3', title: 'Our printer', text: 'Ours.', updated_at: ago(3) },
    ],
  })
  await prisma.identityAccount.createMany({
    data: [
      { ...a, account_id: 'acc1', user_name: 'ada@a.example', display_name: 'Ada', locked: true },
      { ...a, account_id: 'acc2', user_name: 'bob@a.example', display_name: 'Bob', licences: ['Mail'] },
      { ...b, account_id: 'acc3', user_name: 'bo@b.example', display_name: 'Bo' },
    ],
  })
  await prisma.identityGroup.createMany({
    data: [
      { ...a, group_id: 'g1', name: 'Sales' },
      { ...a, group_id: 'g2', name: 'Everyone' },
      { ...b, group_id: 'g3', name: 'Theirs' },
    ],
  })
  await prisma.identityMembership.createMany({ data: [{ ...own, account_id: 'acc1', group_id: 'g2' }] })
  await prisma.identityLicence.createMany({ data: [{ ...a, name: 'Mail', total: 2 }] })
  await prisma.identitySignIn.createMany({
    data: [
      { ...own, sign_in_id: 'si1', account_id: 'acc1', at: ago(1), succeeded: false, country: 'GB' },
      { ...own, sign_in_id: 'si2', account_id: 'acc1', at: ago(40), succeeded: true },
    ],
  })
  return msp
}
