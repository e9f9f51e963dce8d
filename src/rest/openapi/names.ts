/** Names in OpenAPI and in generated clients. */
const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** PascalCase: `list_agents` becomes `ListAgents`, `Not Found` becomes `NotFound`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z]+/)
    .map(capitalised)
    .join('')

/** The first sentence of a description. */
export const firstSentence = (description: string): string =>
  /^.*?\.(?=\s|$)/s.exec(description)?.[0] ?? description
