/** The Agent Skills format: the bundle of files that a body makes, of which `SKILL.md` is the truth. */
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import anyAscii from 'any-ascii'
import { bodyProblem, type FieldError } from '../errors/errors.ts'
import { type FrontMatter, frontMatterOf } from '../lib/front-matter.ts'
import { toolNamed } from './registry.ts'

const SKILL_MD = 'SKILL.md'

export const MAX_SLUG = 64
export const SLUG = {
  matches: /^[a-z0-9]+(-[a-z0-9]+)*$/,
  expected: 'of small letters and digits, with single hyphens between them',
}
export const MAX_DESCRIPTION = 1024
/** Bytes of UTF-8. */
const MAX_FILE_BYTES = 100 * 1024
const MAX_BUNDLE_BYTES = 1024 * 1024

export type SkillFile = Record<'path' | 'content' | 'sha256', string>

export interface Bundle {
  slug: string
  name: string
  description: string
  allowed_tools: string[]
  files: SkillFile[]
}

type SentFile = Pick<SkillFile, 'path' | 'content'> & { sha256?: string | null | undefined }

/** The members of a body that make a bundle. */
export type Sent = {
  [Name in 'slug' | 'name' | 'description' | 'instructions']?: string | null | undefined
} & {
  allowed_tools?: readonly string[] | null | undefined
  files?: readonly SentFile[] | null | undefined
}

/** The bundle, with the words in `allowed-tools` that name tools of other products; or the problems of the body. */
type Made = { bundle: Bundle; foreign_tools: string[] } | { problems: FieldError[] }

const fileOf = ({ path, content }: SentFile): SkillFile => ({
  path,
  content,
  sha256: hash('sha256', content, 'hex'),
})

/** The content of `SKILL.md`. */
export const skillMdOf = (files: readonly SentFile[]): string =>
  files.find(({ path }) => path === SKILL_MD)?.content ?? ''

/** The slug that a name makes: `password-reset` of `Password reset`. */
export const slugOf = (name: string): string =>
  anyAscii(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_SLUG)
    .replace(/-$/, '')

/** The name for people that a slug makes: `Password reset` of `password-reset`. */
const nameOf = (slug: string): string => slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll('-', ' ')

/** The problems of paths, and of hashes that are not those of the content. */
function fileProblems(files: readonly SentFile[]): FieldError[] {
  const paths = files.map(({ path }) => path.toLowerCase())
  const problems = files.flatMap((file, index) => {
    const found: FieldError[] = []
    const report = (field: string, code: string, message: string) =>
      found.push(bodyProblem(`files.${index}.${field}`, code, message))
    if (file.path.split('/').some((part) => part === '.' || part === '..'))
      report('path', 'format', 'must have no part . or ..')
    if (paths.indexOf(file.path.toLowerCase()) < index)
      report('path', 'duplicate', 'is the path of a file before it, in any letter case')
    if (file.sha256 && file.sha256 !== fileOf(file).sha256)
      report('sha256', 'mismatch', 'is not the SHA-256 of the content')
    return found
  })
  if (!files.some(({ path }) => path === SKILL_MD))
    problems.push(bodyProblem('files', 'required', `must have a ${SKILL_MD}`))
  return problems
}

function sizeProblems(files: readonly SkillFile[]): FieldError[] {
  const sizes = files.map(({ content }) => Buffer.byteLength(content))
  const problems = sizes.flatMap((bytes, index) =>
    bytes > MAX_FILE_BYTES
      ? [bodyProblem(`files.${index}.content`, 'length', 'must have at most 100 KB')]
      : [],
  )
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) > MAX_BUNDLE_BYTES)
    problems.push(bodyProblem('files', 'length', 'must have at most 1 MB in all'))
  return problems
}

/** A word of `allowed-tools`, to which the parentheses behind it belong. */
const WORD = /[^\s,()]+(?:\([^)]*\))?/g
/** The form of the names of the service's own tools. */
const OWN_TOOL = /^[a-z_]+\.[a-z_]+$/

interface Tools {
  own: string[]
  foreign: string[]
}

const toolsIn = (front_matter: Pick<FrontMatter, 'get'>): Tools => {
  const words = [front_matter.get('allowed-tools') ?? []].flat().flatMap((text) => text.match(WORD) ?? [])
  const own = words.filter((word) => OWN_TOOL.test(word))
  return { own: [...new Set(own)], foreign: words.filter((word) => !own.includes(word)) }
}

const toolProblems = (field: (index: number) => string, tools: readonly string[]): FieldError[] =>
  tools.flatMap((name, index) =>
    toolNamed(name) ? [] : [bodyProblem(field(index), 'unknown', `names an unknown tool: ${name}`)],
  )

/** The front matter of a file without any. */
const NOTHING: Pick<FrontMatter, 'get'> = { get: () => undefined }

/** A text of the front matter. */
const textIn = (front_matter: Pick<FrontMatter, 'get'>, key: string): string | undefined => {
  const value = front_matter.get(key)
  return typeof value === 'string' ? value.trim() : undefined
}

/** `SKILL.md` before it is completed. */
interface Source {
  front_matter: FrontMatter
  /** The front matter that the body itself has. */
  said: Pick<FrontMatter, 'get'>
  /** The body has front matter. */
  is_said: boolean
  /** The field of the body that has the text. */
  field: string
}

/** `SKILL.md` as the body has it; of a body without it, as it is stored. */
function sourceOf({ files, instructions }: Sent, stored: Bundle | null): Source | FieldError {
  const index = files?.findIndex(({ path }) => path === SKILL_MD)
  const field = index === undefined ? 'instructions' : `files.${index}.content`
  const kept = stored ? skillMdOf(stored.files) : ''
  const sent = files ? skillMdOf(files) : instructions
  const own = frontMatterOf(sent ?? '')
  if ('problem' in own) return bodyProblem(field, 'front_matter', own.problem)
  if (own.head !== '') return { front_matter: own, said: own, is_said: true, field }
  // Instructions replace the text of a stored file, and leave its front matter.
  const before = frontMatterOf(files ? '' : kept)
  const head = 'head' in before ? before.head : ''
  const front_matter = frontMatterOf(typeof sent === 'string' ? head + sent : kept)
  if ('problem' in front_matter) return bodyProblem(field, 'front_matter', front_matter.problem)
  return { front_matter, said: NOTHING, is_said: false, field }
}

/** A value, and the problems with what the body says of it. */
type Judged<Value> = [value: Value, problems: FieldError[]]

const noText = ({ said, field }: Source, key: string): FieldError[] =>
  said.get(key) === undefined || textIn(said, key)
    ? []
    : [bodyProblem(field, 'front_matter', `has front matter whose ${key} is no text`)]

function slugIn(source: Source, sent: Sent, stored: Bundle | null): Judged<string> {
  const said = textIn(source.said, 'name')
  const given = stored?.slug ?? sent.slug ?? undefined
  const slug = said ?? given ?? slugOf(sent.name ?? '')
  const problems = noText(source, 'name')
  if (given && slug !== given)
    problems.push(bodyProblem('slug', 'mismatch', `is not the name in ${SKILL_MD}, ${slug}`))
  if (!SLUG.matches.test(slug) || slug.length > MAX_SLUG) {
    const message = `must be a slug of 1 to ${MAX_SLUG} characters, ${SLUG.expected}`
    problems.push(bodyProblem(said ? source.field : 'slug', slug ? 'format' : 'required', message))
  }
  return [slug, problems]
}

function descriptionIn(source: Source, sent: Sent, stored: Bundle | null): Judged<string> {
  const said = textIn(source.said, 'description')
  const description = said ?? sent.description ?? stored?.description ?? ''
  const problems = noText(source, 'description')
  if (said && sent.description && said !== sent.description)
    problems.push(bodyProblem('files', 'mismatch', `has another description in ${SKILL_MD} than the body`))
  if (!description)
    problems.push(bodyProblem('description', 'required', `is required, in the body or in ${SKILL_MD}`))
  if ([...description].length > MAX_DESCRIPTION) {
    const message = `has a description of more than ${MAX_DESCRIPTION} characters`
    problems.push(bodyProblem(source.field, 'length', message))
  }
  return [description, problems]
}

// Contract silent: words of `allowed-tools` that have not the form of the service's tools name tools of other products, and
// take no tool from a run.
function toolsOf(source: Source, sent: Sent, stored: Bundle | null): Judged<string[]> {
  const { said, is_said, field } = source
  const { own } = toolsIn(said)
  const given = sent.allowed_tools && [...new Set(sent.allowed_tools)]
  const problems = [
    ...toolProblems((index) => `allowed_tools.${index}`, sent.allowed_tools ?? []),
    ...toolProblems(() => field, own),
  ]
  if (said.get('allowed-tools') === undefined)
    return [given ?? (is_said ? [] : (stored?.allowed_tools ?? [])), problems]
  if (given && !isDeepStrictEqual(given, own))
    problems.push(bodyProblem('files', 'mismatch', `has other allowed-tools in ${SKILL_MD} than the body`))
  return [own, problems]
}

type Named = Pick<Bundle, 'slug' | 'description' | 'allowed_tools'>

/** `SKILL.md` with the values in its front matter; null if its form cannot be changed. */
function completed({ front_matter }: Source, { slug, description, allowed_tools }: Named): string | null {
  const { own, foreign } = toolsIn(front_matter)
  return front_matter.with({
    ...(textIn(front_matter, 'name') !== slug && { name: slug }),
    ...(textIn(front_matter, 'description') !== description && { description }),
    ...(!isDeepStrictEqual(own, allowed_tools) && {
      'allowed-tools': [...allowed_tools, ...foreign].join(' ') || null,
    }),
  })
}

/** The bundle that the body makes: a new one, or that of the stored skill with the changes. */
export function bundleOf(sent: Sent, stored: Bundle | null): Made {
  const of_files = sent.files ? fileProblems(sent.files) : []
  if (sent.files && typeof sent.instructions === 'string')
    of_files.push(bodyProblem('instructions', 'exclusive', 'cannot be sent together with files'))
  if (of_files.length > 0) return { problems: of_files }
  const source = sourceOf(sent, stored)
  if (!('said' in source)) return { problems: [source] }
  const [slug, of_slug] = slugIn(source, sent, stored)
  const [description, of_description] = descriptionIn(source, sent, stored)
  const [allowed_tools, of_tools] = toolsOf(source, sent, stored)
  const problems = [...of_slug, ...of_description, ...of_tools]
  if (problems.length > 0) return { problems }
  const content = completed(source, { slug, description, allowed_tools })
  if (content === null)
    return {
      problems: [bodyProblem(source.field, 'front_matter', 'has front matter that cannot be completed')],
    }
  const before = sent.files ?? stored?.files ?? [{ path: SKILL_MD, content }]
  const files = before.map((file) => fileOf(file.path === SKILL_MD ? { path: SKILL_MD, content } : file))
  const too_large = sizeProblems(files)
  if (too_large.length > 0) return { problems: too_large }
  const name = sent.name ?? stored?.name ?? nameOf(slug)
  const foreign_tools = toolsIn(source.front_matter).foreign
  return { bundle: { slug, name, description, allowed_tools, files }, foreign_tools }
}
