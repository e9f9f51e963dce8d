/** Reads the enumerations out of the text of a Prisma schema. */

interface DocumentedEnum {
  description: string
  values: Record<string, { description: string }>
}

const DOCUMENTATION = /^\s*\/\/\/\s?(.*)$/
const ENUM = /^enum\s+(\w+)\s*\{/
const VALUE = /^\s+(\w+)\s*(?:@.*)?$/

/** Every enumeration with its `///` texts; an Error that names those without. */
export function enumsIn(schema: string): Record<string, DocumentedEnum> {
  const enums: Record<string, DocumentedEnum> = {}
  const undocumented: string[] = []
  let documentation: string[] = []
  let current: [name: string, found: DocumentedEnum] | null = null

  const taken = (of: string): string => {
    if (documentation.length === 0) undocumented.push(of)
    const text = documentation.join(' ')
    documentation = []
    return text
  }
  for (const line of schema.split('\n')) {
    const [, comment] = DOCUMENTATION.exec(line) ?? []
    const [, name] = ENUM.exec(line) ?? []
    const [, value] = VALUE.exec(line) ?? []
    if (comment !== undefined) documentation.push(comment)
    else if (name) {
      current = [name, { description: taken(name), values: {} }]
      enums[name] = current[1]
    } else if (current && value) {
      const [of, { values }] = current
      values[value] = { description: taken(`${of}.${value}`) }
    } else {
      documentation = []
      if (line.startsWith('}')) current = null
    }
  }
  if (undocumented.length > 0) throw new Error(`Without documentation: ${undocumented.join(', ')}`)
  return enums
}
