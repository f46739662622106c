/** Deep enough for any real chain of causes, and an end for one that leads back to itself. */
const MAX_CAUSES = 5

/**
 * The parts of an error that are safe to write down. A database error also carries the values that it
 * refused, and those are customers' data.
 */
export function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(error.cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: errorFields(error.cause, depth + 1) }),
  }
}
