/** The combinations of an agent's kind, trigger and entity that are allowed. */

export const AUTONOMY_TYPES = ['AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL'] as const
export const TRIGGER_TYPES = ['TRIGGERED', 'SCHEDULED', 'ON_DEMAND', 'CHAT'] as const
export const ENTITY_TYPES = ['TICKET', 'TIME_ENTRY', 'NONE'] as const

export type Autonomy = (typeof AUTONOMY_TYPES)[number]
export type Trigger = (typeof TRIGGER_TYPES)[number]
export type Entity = (typeof ENTITY_TYPES)[number]

const WORK = ['TICKET', 'TIME_ENTRY'] as const

const ALLOWED: Readonly<Record<Autonomy, Partial<Record<Trigger, readonly Entity[]>>>> = {
  AGENTIC: { TRIGGERED: WORK, SCHEDULED: ENTITY_TYPES, ON_DEMAND: ENTITY_TYPES },
  CHAINED_ACTIONS: { TRIGGERED: WORK, SCHEDULED: WORK, ON_DEMAND: WORK },
  CONVERSATIONAL: { CHAT: ['NONE'] },
}

export const triggersOf = (autonomy: Autonomy): Trigger[] => Object.keys(ALLOWED[autonomy]) as Trigger[]

export const entitiesOf = (autonomy: Autonomy, trigger: Trigger): readonly Entity[] =>
  ALLOWED[autonomy][trigger] ?? []

export const isAllowed = (autonomy: Autonomy, trigger: Trigger, entity: Entity): boolean =>
  entitiesOf(autonomy, trigger).includes(entity)

/** Every combination there is. */
export const MATRIX = AUTONOMY_TYPES.flatMap((autonomy_type) =>
  TRIGGER_TYPES.flatMap((trigger_type) =>
    ENTITY_TYPES.map((entity_type) => ({
      autonomy_type,
      trigger_type,
      entity_type,
      allowed: isAllowed(autonomy_type, trigger_type, entity_type),
    })),
  ),
)
