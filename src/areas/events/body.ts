/** An event as text: what the feed answers with for it. */
import { declaredEvent } from '../../schema/events/declare.ts'
import type { EventRow } from './feed.ts'

export const severityOf = (type: string) => declaredEvent(type)?.severity ?? 'INFO'

/** The JSON of the event, as REST has it. */
export const eventBody = ({ event_id, type, sequence, at, tenant_id, environment, data }: EventRow): string =>
  JSON.stringify({
    id: event_id,
    type,
    severity: severityOf(type),
    sequence: String(sequence),
    timestamp: at.toISOString(),
    tenant_id,
    environment,
    data,
  })
