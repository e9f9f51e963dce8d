/** What must not compile: a field that reads a column which its statement does not select for it. */

import type { defineNestedList } from '../../src/schema/lists/nested-list.ts'
import type { Row } from '../../src/schema/models.ts'
import { addField, madeOf, rowType } from '../../src/schema/row-type.ts'

type Memory = Row<'AgentMemory'>

declare const MEMORIES: ReturnType<typeof defineNestedList<Memory>>

const from = madeOf<Memory>()

export const TypesMemory = rowType('AgentMemory', {
  variant: 'TypesMemory',
  fields: (t) => ({
    evidence: t.exposeString('evidence', { nullable: true }),
    has_evidence: t.boolean({ ...from(['evidence'], ({ evidence }) => evidence !== null) }),
    pinned: t.boolean({
      // @ts-expect-error: the resolver says no columns.
      resolve: ({ pinned_at }) => pinned_at !== null,
    }),
    kept: t.boolean({
      // @ts-expect-error: nor may it say what the row is.
      resolve: ({ pinned_at }: Memory) => pinned_at !== null,
    }),
  }),
})

addField(TypesMemory, 'memories', (t) =>
  t.int({
    // @ts-expect-error: the same of a field that another area adds.
    resolve: ({ confidence }) => confidence,
  }),
)

// @ts-expect-error: it is not among its columns.
from(['evidence'], ({ pinned_at }) => pinned_at !== null)

// @ts-expect-error: the row has no such column.
from(['proof'], () => true)

MEMORIES.below<Memory>('id')

// @ts-expect-error: the row has no such column.
MEMORIES.below<Memory>('proof')
