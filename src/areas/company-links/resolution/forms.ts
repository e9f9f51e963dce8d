/** Legal forms of names: the words at the end or the beginning of a name that say what kind of company it is. */
import {
  CONJUNCTIONS,
  FORM_PAIRS,
  LEADING_FORMS,
  LEGAL_FORMS,
  MOST_FORM_WORDS,
  SILENT_CLASSES,
  UNSURE_FORMS,
} from './vocabulary.ts'

/** Legal forms that have been read. */
export interface Forms {
  /** The classes of the forms. */
  classes: Set<string>
  /** The forms as they are written, and their classes. */
  written: Set<string>
  /** Written forms that may be a place or a word of the name. */
  unsure: Set<string>
}

/** The writing of words that may be legal forms. */
export interface Written {
  /** Words with dots or slashes between their letters. */
  dotted: ReadonlySet<string>
  /** Words in both letter cases. */
  cased: ReadonlySet<string>
}

export const newForms = (): Forms => ({ classes: new Set(), written: new Set(), unsure: new Set() })

/** `CO LLC` may be Colorado or a company; `Co LLC` and `CO LTD` are a company. */
const isPerhapsColorado = (next: string | undefined, { cased }: Written): boolean =>
  !cased.has('co') && !FORM_PAIRS.has(`co ${next}`)

const isCompany = (form: string | undefined): form is string =>
  form !== undefined && LEGAL_FORMS.get(form) === 'co'

/** Takes the legal forms off the end and the beginning, but never the last word. */
export function withoutForms(all: readonly string[], forms: Forms, how: Written): string[] {
  const words = [...all]
  let next: string | undefined
  const add = (form: string, is_unsure: boolean): void => {
    const name = LEGAL_FORMS.get(form) as string
    forms.written.add(form).add(name)
    if (!SILENT_CLASSES.has(name)) forms.classes.add(name)
    if (is_unsure) forms.unsure.add(form)
  }
  const isUnsure = (form: string, pairs: readonly string[]): boolean =>
    form === 'co'
      ? isPerhapsColorado(next, how)
      : UNSURE_FORMS.has(form) && !how.dotted.has(form) && !pairs.some((pair) => FORM_PAIRS.has(pair))
  const takeLast = (): boolean => {
    for (let count = Math.min(MOST_FORM_WORDS, words.length - 1); count > 0; count--) {
      const form = words.slice(-count).join('')
      if (!LEGAL_FORMS.has(form)) continue
      const is_before_other = next !== undefined && form.length <= 2 && (form !== 'co' || isCompany(next))
      if (is_before_other && !FORM_PAIRS.has(`${form} ${next}`)) return false
      add(form, count > 1 ? form.length <= 2 : isUnsure(form, [`${form} ${next}`, `${words.at(-2)} ${form}`]))
      words.splice(-count)
      next = form
      return true
    }
    const last = words.at(-1) as string
    const is_joining = CONJUNCTIONS.has(last) && words.length > 1 && isCompany(next)
    // `E` before Co. is a compass point, and before Cia. the Portuguese and.
    if (!is_joining || (last.length === 1 && next === 'co')) return false
    words.pop()
    return true
  }
  while (takeLast());
  for (let count = 2; count > 0; count--) {
    const form = words.slice(0, count).join('')
    if (words.length <= count || !LEADING_FORMS.has(form)) continue
    const pairs = [...forms.written].map((other) => `${form} … ${other}`)
    add(form, isUnsure(form, pairs))
    words.splice(0, count)
  }
  return words
}
