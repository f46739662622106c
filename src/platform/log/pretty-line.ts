/** `12:00:01 warn the message field=value`, and the stack of an error below it. */
export function prettyLine(json: string): string {
  const { time, level, message, error, ...fields } = JSON.parse(json) as Record<string, unknown>
  const clock = String(time).slice(11, 19)
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`)
  const head = [clock, String(level).padEnd(5), message, ...pairs].join(' ')
  return `${head}\n${stacksOf(error)}`
}

function shown(value: unknown): string {
  return typeof value === 'string' && !/[\s"]/.test(value) ? value : JSON.stringify(value)
}

function stacksOf(error: unknown): string {
  if (error === undefined || error === null) return ''
  if (typeof error !== 'object') return `  ${error}\n`
  const { stack, message, cause } = error as Record<string, unknown>
  const text = String(stack ?? message)
  return `${text.replace(/^/gm, '  ')}\n${cause === undefined ? '' : `  caused by\n${stacksOf(cause)}`}`
}
