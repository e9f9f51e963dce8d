/** Companies and links for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Company = Partial<Prisma.EndCompanyCreateManyInput>
type Link = Partial<Prisma.CompanyLinkCreateManyInput>

const common = ({ tenant_id, environment }: Msp) => ({
  tenant_id,
  environment,
  created_at: clock.now(),
  updated_at: clock.now(),
})

/** Companies whose PSA id is `psa_` and their id. */
export async function addCompanies(msp: Msp, companies: readonly (Company & { id: string })[]) {
  await msp.database.prisma.endCompany.createMany({
    data: companies.map((company) => ({
      ...common(msp),
      psa_company_id: `psa_${company.id}`,
      name: `Company ${company.id}`,
      ...company,
    })),
  })
}

/** Links of HUDU: AUTO if they have a company, else UNMAPPED. */
export async function addLinks(msp: Msp, links: readonly (Link & { external_id: string })[]) {
  await msp.database.prisma.companyLink.createMany({
    data: links.map((link) => ({
      ...common(msp),
      system: 'HUDU',
      external_name: `Entity ${link.external_id}`,
      ...(link.psa_company_id && {
        psa_company_name: `Company ${link.psa_company_id.slice(4)}`,
        link_state: 'AUTO' as const,
        match_method: 'FUZZY' as const,
        confidence: 0.9,
      }),
      ...link,
    })),
  })
}

/** Compares by the bytes of the lower-case text. */
/** Text as lists search and order it. */
export const searchable = (text: string): string => text.normalize('NFKC').toLowerCase()

export const byteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
