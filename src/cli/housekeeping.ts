/** Repeats some work, one run after another, until disposed of. The first run is one period away. */
export function every(
  periodMs: number,
  job: { work: () => Promise<void>; onFault: (fault: unknown) => void },
): AsyncDisposable {
  let underWay = Promise.resolve()
  const timer = setInterval(() => {
    underWay = underWay.then(job.work).catch(job.onFault)
  }, periodMs)
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await underWay
    },
  }
}
