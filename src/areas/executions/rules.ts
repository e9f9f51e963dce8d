/** The rules of executions. */

interface Window {
  from?: Date | null | undefined
  to?: Date | null | undefined
}

/** True where the start is before the end. A window without one of them is one too. */
export const isWindow = ({ from, to }: Window): boolean => !from || !to || from < to
