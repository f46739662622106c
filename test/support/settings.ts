/** Everything tests read from the environment. */
export const settings = {
  /** Set by `run.ts` to the server that the files of one run share. */
  sharedServer: process.env.POSTHOUSE_TEST_SERVER,
  /** How many times longer a test that repeats something should go on; `bin/soak` raises it. */
  rounds: Number(process.env.POSTHOUSE_TEST_ROUNDS ?? 1),
}

/** How often to repeat what would take `usual` rounds in an ordinary run. */
export function rounds(usual: number): number {
  return Math.ceil(usual * settings.rounds)
}
