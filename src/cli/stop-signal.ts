/** A stop that takes longer than this hangs somewhere; what was accepted is safe in the database. */
const STOP_TIMEOUT_MS = 9_500

/**
 * Resolves when the process is asked to stop. From then on it has a little under ten seconds, or until it is
 * asked a second time.
 */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isAsked = false
    const onSignal = (signal: NodeJS.Signals) => {
      if (isAsked) process.exit(1)
      isAsked = true
      setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
      resolve(signal)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
