const MAX_PORT = 65_535

/** The port of an option, or the one of the settings where the option is missing. */
export function readPort(option: string | undefined, otherwise: number): number {
  if (option === undefined) return otherwise
  const port = /^\d{1,5}$/.test(option) ? Number(option) : Number.NaN
  if (port <= MAX_PORT) return port
  throw new Error(`--port must be a number from 0 to ${MAX_PORT}, not ${option}.`)
}
