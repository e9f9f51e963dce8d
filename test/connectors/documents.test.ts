/** The promises of the port to a documentation system, by which every adapter is tried. */
import { describe, expect, it } from 'vitest'
import { DOCUMENTS, type Documents } from '../../src/connectors/documents.ts'
import { localDocuments } from '../../src/connectors/local/documents.ts'
import { equippedMsp } from '../setup/local-systems.ts'
import { describeWrites, expectRefusals } from '../setup/port-writes.ts'
import { portContext } from '../setup/psa.ts'

interface Fixture {
  port: Documents
  made: () => Promise<number>
  /** The texts that the document had, and has no longer. */
  versions: (document_id: string) => Promise<string[]>
}

async function local(): Promise<Fixture> {
  const msp = await equippedMsp()
  const { prisma } = msp.database
  const where = { tenant_id: msp.tenant_id }
  return {
    port: localDocuments(portContext(msp)),
    made: () => prisma.localWrite.count({ where }),
    versions: async (document_id) =>
      (await prisma.localDocumentVersion.findMany({ where: { ...where, document_id } })).map(
        ({ text }) => text,
      ),
  }
}

const ADAPTERS: [name: string, setUp: () => Promise<Fixture>][] = [['local', local]]

const ALL = { words: '', psa_company_id: null, limit: 50 }

describe.each(ADAPTERS)('the documentation system %s', (_name, setUp) => {
  it('has every call of the port', async () => {
    expect(Object.keys((await setUp()).port).sort()).toEqual(Object.keys(DOCUMENTS.calls).sort())
  })

  it('finds documents by title or text, the last changed first', async () => {
    const { port } = await setUp()
    const found = async (search: object) =>
      (await port.search({ ...ALL, ...search })).map(({ document_id }) => document_id)
    expect(await found({})).toEqual(['doc2', 'doc1', 'doc3'])
    expect(await found({ words: 'PRINTER' })).toEqual(['doc1', 'doc3'])
    expect(await found({ words: 'floor printer' })).toEqual(['doc1'])
    expect(await found({ psa_company_id: 'psa_b' })).toEqual(['doc2'])
    expect((await port.filesIn('f1')).map(({ title }) => title)).toEqual(['Printers'])
    expect(await port.filesIn('x')).toEqual([])
    expect(await port.document('doc3')).toMatchObject({ psa_company_id: null, text: 'Ours.' })
    expect(await port.document('x')).toBeNull()
  })

  it('creates documents, and replaces a text that it keeps', async () => {
    const { port, versions } = await setUp()
    const made = await port.createDocument({ psa_company_id: 'psa_a', title: 'New', text: 'One' }, 'k1')
    expect(await port.document(made.document_id)).toMatchObject({ ...made, text: 'One' })
    await port.updateDocument(made.document_id, 'Two', 'k2')
    expect(await port.document(made.document_id)).toMatchObject({ title: 'New', text: 'Two' })
    expect(await versions(made.document_id)).toEqual(['One'])
  })
})

describe.each(ADAPTERS)('a write to the documentation system %s', (_name, setUp) => {
  describeWrites(
    DOCUMENTS,
    {
      createDocument: (port, key) =>
        port.createDocument({ psa_company_id: 'psa_a', title: 'New', text: 'One' }, key),
      updateDocument: (port, key) => port.updateDocument('doc1', 'Two', key),
    },
    setUp,
  )

  it('is refused for what there is not, and writes nothing', async () => {
    await expectRefusals(await setUp(), [
      [
        'COMPANY_NOT_FOUND',
        (port, key) => port.createDocument({ psa_company_id: 'x', title: 'x', text: 'x' }, key),
      ],
      ['DOCUMENT_NOT_FOUND', (port, key) => port.updateDocument('x', 'x', key)],
    ])
  })
})
