/** A sync of an integration, as it is answered. */
import { etagOf } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { STAGES, type Stage } from './rules.ts'
import { warningOf } from './warning.ts'

export type SyncRow = Omit<Row<'IntegrationSync'>, 'stages'> & { stages: Stage[] }

const SyncStageName = builder.enumType('SyncStageName', {
  description: 'A part of a sync.',
  values: {
    COMPANIES: { description: 'The companies of the PSA, which are the end companies.' },
    CONTACTS: { description: 'The contacts of the PSA, which are the end users.' },
    TECHNICIANS: { description: 'The technicians of the PSA: their names.' },
    CUSTOMERS: { description: 'The customers of another system, as they were put.' },
    COMPANY_LINKS: {
      description:
        'The companies of customers: of this system, or after a sync of the PSA of every system. `read` counts customers, ' +
        '`added` and `changed` their company links.',
    },
    SCRIPTS: { description: 'The scripts of the RMM, which are read whole.' },
  } satisfies Record<(typeof STAGES)[number], { description: string }>,
})

const SyncStageStatus = builder.enumType('SyncStageStatus', {
  description: 'The status of a part of a sync.',
  values: {
    PENDING: { description: 'It has not begun.' },
    RUNNING: { description: 'Some of it was read.' },
    SUCCEEDED: { description: 'Everything was read.' },
    FAILED: {
      description:
        'Some of it could not be read, or not be stored, or so much of it is gone from the system that none was marked: ' +
        '`error` of the sync tells what, once the sync has ended.',
    },
  } satisfies Record<Stage['status'], { description: string }>,
})

const IntegrationSyncStage = builder.objectRef<Stage>('IntegrationSyncStage').implement({
  description: 'A part of a sync, with what it has read so far.',
  fields: (t) => ({
    stage: t.expose('stage', { type: SyncStageName, description: 'The part.' }),
    status: t.expose('status', { type: SyncStageStatus, description: 'Its status.' }),
    read: t.expose('read', { type: 'NonNegativeInt', description: 'The rows that were read.' }),
    added: t.expose('added', {
      type: 'NonNegativeInt',
      description: 'Of them, those that the service did not have.',
    }),
    changed: t.expose('changed', {
      type: 'NonNegativeInt',
      description: 'Of them, those that differed from what the service had.',
    }),
    missing: t.expose('missing', {
      type: 'NonNegativeInt',
      description:
        'The rows of the service that the system no longer has, which are marked now. 0 unless everything was read, and 0 ' +
        'if more than 20 rows and more than a fifth of those that were there are gone: a sync with `accept_missing` marks them.',
    }),
  }),
})

export const IntegrationSync = rowType('IntegrationSync', {
  description: 'A sync of an integration: what was read from the system. Kept for 90 days.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Opaque identifier.' }),
    name: t.exposeString('name', { description: 'The `id` of the integration.' }),
    ...t.columns('status', 'is_full', 'accept_missing', 'changed_since', 'requested_by_name'),
    stages: t.field({
      type: [IntegrationSyncStage],
      max_items: STAGES.length,
      description: 'Its parts, in their order.',
      ...madeOf<SyncRow>()(['stages'], ({ stages }) => [...stages]),
    }),
    ...t.columns('error'),
    warning: t.string({
      nullable: true,
      description:
        'What the sync left undone although nothing failed: customers about whom the model was not asked, with the reason. ' +
        'null: nothing.',
      ...madeOf<SyncRow>()(['stages'], warningOf),
    }),
    created_at: t.expose('created_at', { type: 'DateTime', description: 'When it was asked for.' }),
    ...t.columns('started_at', 'updated_at', 'finished_at', 'revision'),
  }),
})

/** Progress is no new revision. */
export const syncEtag = ({ revision, updated_at }: Pick<SyncRow, 'revision' | 'updated_at'>): string =>
  etagOf(revision, [updated_at])
