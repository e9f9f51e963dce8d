import fc from 'fast-check'
import type { InboxItem } from '../../../src/db/generated/client/client.ts'
import { addItems } from '../../setup/inbox.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { at, instant, isEqual, type ListSampler } from '../../setup/suites/sampler.ts'
import { at_row, mostly, ofEnum } from '../../setup/suites/skewed.ts'
import type { Msp } from '../../setup/world.ts'

const readers = { scope: 'inbox:read', people: true } as const
const writers = { scope: 'inbox:write', people: true } as const

const inbox: ListSampler<InboxItem> = {
  async add(msp, numbers) {
    await addItems(
      msp,
      numbers.map((n) => ({
        id: `inb_${String(n).padStart(4, '0')}`,
        cause: `cause ${n}`,
        user_id: at([msp.owner.id, msp.owner.id, msp.owner.id, msp.user.id], n),
        state: at(['UNREAD', 'READ', 'ARCHIVED', 'READ', 'UNREAD'] as const, n),
        kind: at(['TIL_REQUEST', 'EXECUTION_FAILED', 'ANNOUNCEMENT'] as const, n >> 1),
        severity: at(['WARNING', 'INFO', 'CRITICAL'] as const, n >> 2),
        action_required: n % 3 === 0,
        resolved: n % 6 === 0,
        last_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id, owner }) =>
    prisma.inboxItem.findMany({ where: { tenant_id, user_id: owner.id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.inboxItem.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: {
    '': [
      { value: ({ action_required, resolved }) => action_required && !resolved, descending: true },
      { value: ({ last_at }) => last_at, descending: true },
      { value: ({ id }) => id, descending: true },
    ],
  },
  lists: ({ state: its }, { state }) => state !== undefined || its !== 'ARCHIVED',
  filters: {
    state: isEqual('state', ['UNREAD', ['READ', 'ARCHIVED']]),
    kind: isEqual('kind', ['TIL_REQUEST', ['EXECUTION_FAILED', 'FEEDBACK']]),
    severity: isEqual('severity', ['CRITICAL', ['INFO', 'WARNING']]),
  },
  indexed: ['state', 'kind', 'severity'],
  grows: {},
}

const item_id = from('inbox', 'id')

/** The owner, in an environment in which tenants of tests have nobody. */
async function addOwner({ tenant_id, environment, owner: { id }, database }: Msp): Promise<void> {
  const person = {
    subject: `sub_${id}`,
    name: 'Owner',
    email: 'owner@elsewhere.test',
    role: 'OWNER',
  } as const
  const times = { created_at: new Date(), updated_at: new Date() }
  await database.prisma.tenantUser.createMany({
    data: [{ tenant_id, environment, id, ...person, ...times }],
    skipDuplicates: true,
  })
}

export const SUITES: AreaSuites = {
  who_may: {
    inbox: readers,
    inbox_counts: readers,
    inbox_item: readers,
    inbox_preferences: readers,
    inbox_updates: readers,
    mark_inbox_item_read: writers,
    mark_inbox_item_unread: writers,
    archive_inbox_item: writers,
    read_all_inbox: writers,
    update_inbox_preferences: writers,
  },
  examples: {
    reads: {
      inbox: { state: ['UNREAD'], page_size },
      inbox_counts: {},
      inbox_item: { item_id },
      inbox_preferences: {},
    },
    writes: {
      mark_inbox_item_read: { item_id },
      mark_inbox_item_unread: { item_id },
      archive_inbox_item: { item_id: from('inbox', 'id', 1) },
      read_all_inbox: { input: { before: from('inbox', 'updated_at') } },
      update_inbox_preferences: {
        input: { mail_kinds: ['ESCALATION', 'CREDIT_THRESHOLD'], quiet_kinds: ['FEEDBACK'] },
      },
    },
  },
  async own_rows(msp, { id, mark, of }) {
    const { agent_id } = await of('agents')
    await addOwner(msp)
    const item_id = `inb_${id}`
    const about = { affected_agent_ids: [Number(agent_id)], affected_entity_numbers: [mark] }
    await addItems(msp, [{ id: item_id, user_id: msp.owner.id, title: mark, body: mark, ...about }])
    return { item_id }
  },
  shown_by: { inbox_counts: 'nothing', inbox_preferences: 'nothing' },
  change_followed: ({ database: { prisma }, tenant_id }) =>
    prisma.inboxItem.updateMany({ where: { tenant_id }, data: { occurrence_count: { increment: 1 } } }),
  lists: { inbox },
  skewed_rows: {
    inbox_item: {
      id: `'inb_' || lpad(n::text, 7, '0')`,
      user_id: `'usr_owner_' || $1::text`,
      kind: ofEnum('inbox_kind', 'EXECUTION_FAILED'),
      cause: `'cause ' || n`,
      severity: ofEnum('event_severity', 'WARNING', 2),
      title: `'Item ' || n`,
      state: ofEnum('inbox_state', 'ARCHIVED', 3),
      subject_type: `'NONE'::inbox_subject_type`,
      action_required: mostly('false', 'true'),
      occurrence_count: '1',
      first_at: at_row,
      last_at: at_row,
      unread_at: at_row,
      updated_at: at_row,
    },
  },
  channel_writes: {
    mark_inbox_item_read: 'runs at once',
    mark_inbox_item_unread: 'runs at once',
    archive_inbox_item: 'runs at once',
    read_all_inbox: 'runs at once',
    update_inbox_preferences: 'runs at once',
  },
  fetched_again: {
    archive_inbox_item: ['inbox'],
  },
  sent_back: {
    update_inbox_preferences: {
      bodies: () =>
        fc.record({
          mail_kinds: fc.constantFrom([], ['ESCALATION'], ['TIL_REQUEST', 'CREDIT_THRESHOLD']),
          quiet_kinds: fc.constantFrom([], ['FEEDBACK'], ['DISPATCH', 'ANNOUNCEMENT']),
        }),
    },
  },
  foreign_tables: {
    agent: 'the editors of an agent are found with the users, for all agents of a stretch at once',
    live_event: 'inboxes follow the events of the feed',
    tenant_user: 'an item is stored for each user whom it concerns, in one statement',
  },
  single_rows: {
    'inbox.open_of_cause': 'it is found by its cause, by the unique index of open items',
    'inbox.preferences': 'the lock of the row is the same statement',
  },
  error_codes: {
    404: 'inbox_item_not_found',
    409: 'inbox_item_superseded',
  },
}
