/** What must not compile: a field that reads a column which its statement does not select for it. */
import type { Row } from '../../src/db/query/models.ts'
import { madeOf } from '../../src/schema/made-of.ts'

const from = madeOf<Row<'AgentMemory'>>()

from(['evidence'], ({ evidence }) => evidence !== null)

// @ts-expect-error: it is not among its columns.
from(['evidence'], ({ pinned_at }) => pinned_at !== null)

// @ts-expect-error: the row has no such column.
from(['proof'], () => true)
