/** Pages of devices, which are read from the RMM. */
import { rmmOf } from '../../../connectors/rmm.ts'
import { tenancyOf } from '../../../db/db.ts'
import { decodeCursor, encodeCursor } from '../../../db/query/cursor.ts'
import { PAGE_SIZE } from '../../../db/query/page-size.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import type { Page, PageRequest } from '../../../schema/lists/page.ts'
import { type CompanyLinkSystem, integrationOf } from '../../integrations/index.ts'
import { connectedRmm } from '../connected.ts'
import { type Collected, collect, FIRST, type Position } from './collect.ts'
import type { Device } from './device.ts'

/** The most pages of the RMM that one request reads. */
export const MOST_PAGES = 5

interface DevicesRequest extends PageRequest {
  system?: CompanyLinkSystem | null | undefined
  psa_company_id?: string | null | undefined
  search?: string | null | undefined
  online?: boolean | null | undefined
}

const NOTHING: Page<never> = { items: [], pagination: { has_more: false, next_cursor: null } }

/** The RMM to connect, if none is connected and the caller names none. */
const TO_CONNECT: CompanyLinkSystem = 'NINJAONE'

/** A page of devices in the order of the RMM. It may be short although there is another. */
export async function devicePage(
  ctx: Context,
  { page_size, cursor, ...filters }: DevicesRequest,
): Promise<Page<Device>> {
  const system = await connectedRmm(ctx)
  if (system === null)
    throw new ApiError('integration_not_connected', {
      details: { name: integrationOf(filters.system ?? TO_CONNECT).name },
    })
  const { signing_secrets } = ctx.services
  const { tenant_id, environment } = tenancyOf(ctx)
  // Positions of one RMM mean nothing in another one.
  const scope = { tenant_id, environment, operation: 'rmm_devices', filters: { ...filters, of: system } }
  let next: Position | null = FIRST
  if (cursor) {
    const [after = null, offset, ...passed] = decodeCursor(signing_secrets, scope, cursor, ctx.now)
    next = { after: after as string | null, offset: Number(offset), passed: passed.map(String) }
  }
  if (filters.system && filters.system !== system) return NOTHING
  const { psa_company_id = null, search = null, online = null } = filters
  const judged = { search, online, size: page_size ?? PAGE_SIZE.default }
  const rmm = rmmOf(ctx)
  let devices: Collected['devices'] = []
  for (let pages = 0; next && pages < MOST_PAGES && devices.length < judged.size; pages++) {
    const position: Position = next
    const page = await rmm.devicePage({ psa_company_id, after: position.after })
    const collected = collect(devices, page, position, judged)
    devices = collected.devices
    next = collected.next
  }
  const pagination = {
    has_more: next !== null,
    next_cursor:
      next && encodeCursor(signing_secrets, scope, [next.after, next.offset, ...next.passed], ctx.now),
  }
  return { items: devices.map((device) => ({ ...device, system })), pagination }
}
