/** Set-up file: the files of a worker share its clock, and each begins with the time of the machine. */
import { clock } from './clock.ts'

clock.reset()
