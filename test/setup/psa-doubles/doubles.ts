/** The doubles of the PSAs that can be connected. */
import { autotaskPsaDouble } from './autotask.ts'
import { connectwisePsaDouble } from './connectwise.ts'
import type { PsaDouble } from './double.ts'
import { haloPsaDouble } from './halo.ts'

export const PSA_DOUBLES: readonly [name: string, start: () => Promise<PsaDouble>][] = [
  ['ConnectWise PSA', connectwisePsaDouble],
  ['HaloPSA', haloPsaDouble],
  ['Autotask PSA', autotaskPsaDouble],
]
