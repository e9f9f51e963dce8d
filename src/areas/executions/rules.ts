/** The rules of executions. */

interface Window {
  from?: Date | null | undefined
  to?: Date | null | undefined
}

/** Whether the window can have anything in it; one without a start or an end always can. */
export const isWindow = ({ from, to }: Window): boolean => !from || !to || from < to
