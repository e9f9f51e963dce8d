/** SQL that makes rows, of words and of numbers as good as random. */
import { ENVIRONMENT, TENANTS } from './tenants.ts'

export const list = (values: readonly string[]) => `('{${values.join(',')}}'::text[])`
export const tenant = (number: string) => `'ten_bench_' || ${number}, '${ENVIRONMENT}'`
export const each = `generate_series(1, ${TENANTS}) t`

const WORDS = list(
  (
    'amber birch cedar delta ember falcon granite harbor iris juniper keystone lantern meadow north ' +
    'orchard pioneer quarry river summit timber union valley willow yellow zephyr anchor beacon ' +
    'copper dune elm forest garnet hazel island jade kestrel linden maple nova opal'
  ).split(' '),
)
const KINDS = list(['Dental', 'Legal', 'Logistics', 'Clinic', 'Partners', 'Foods', 'Schools', 'Motors'])

/** A whole number below `below`, as good as random, and the same for the same `seed`. */
export const some = (below: number | string, seed: string) =>
  `((hashtext(${seed}) & 2147483647) % (${below}))`
export const nameOf = (n: string, seed = n) =>
  `initcap((${WORDS})[1 + ${some(40, `'a' || ${seed}`)}] || ' ' || (${WORDS})[1 + ${some(40, `'b' || ${seed}`)}])
   || ' ' || (${KINDS})[1 + ${n} % 8] || ' ' || ${n}`

/** The latest instant in the data: the hour in which it was made. */
export const now = `date_trunc('hour', now())`
