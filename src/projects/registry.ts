import type { Database } from '#platform/database'
import { type Endpoint, layOut, type Project } from './project.ts'
import { selectProject, selectVersions } from './project-store.ts'
import { openLiveKeys } from './secret-keys.ts'
import { readSigningKey } from './signing-key.ts'

export interface RegistryOptions {
  database: Database
  masterKey: Buffer
  pollMs?: number
  /** Told of a poll that failed, or of a project that could not be read; what was known stays. */
  onError: (error: unknown) => void
  /** Told of the projects that were swapped in, not of those found at the start. */
  onChange?: ((changed: Project[]) => void) | undefined
}

/** A revoked key should stop working before the person who revoked it looks up. */
const DEFAULT_POLL_MS = 500

/** The projects of a running process. It notices what `apply` and `keys` change elsewhere. */
export class ProjectRegistry implements AsyncDisposable {
  readonly #options: RegistryOptions
  readonly #projects = new Map<number, Project>()
  #endpoints = new Map<string, Endpoint>()
  #timer: NodeJS.Timeout | undefined
  #underWay: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined
  #isStopped = false

  private constructor(options: RegistryOptions) {
    this.#options = options
  }

  /** Fails when a project cannot be read: a wrong master key should be seen at once. */
  static async start(options: RegistryOptions): Promise<ProjectRegistry> {
    const registry = new ProjectRegistry(options)
    const versions = await selectVersions(options.database)
    for (const id of versions.keys()) await registry.#load(id)
    registry.#indexEndpoints()
    registry.#pollLater()
    return registry
  }

  endpoint(endpointId: string): Endpoint | undefined {
    return this.#endpoints.get(endpointId)
  }

  projects(): Iterable<Project> {
    return this.#projects.values()
  }

  project(id: number): Project | undefined {
    return this.#projects.get(id)
  }

  /** Takes in everything that was committed before the call. Failures go to `onError`. */
  refresh(): Promise<void> {
    // A look that is under way may have missed what the caller just did; one look more will not.
    this.#waiting ??= this.#underWay.then(() => {
      this.#waiting = undefined
      this.#underWay = this.#takeIn()
      return this.#underWay
    })
    return this.#waiting
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#waiting
    await this.#underWay
  }

  #pollLater(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      void this.refresh().then(() => this.#pollLater())
    }, this.#options.pollMs ?? DEFAULT_POLL_MS)
  }

  async #takeIn(): Promise<void> {
    try {
      const versions = await selectVersions(this.#options.database)
      const changed: Project[] = []
      for (const [id, version] of versions) {
        if (this.#projects.get(id)?.version === version) continue
        const project = await this.#loadOrReport(id)
        if (project !== undefined) changed.push(project)
      }
      const gone = [...this.#projects.keys()].filter((id) => !versions.has(id))
      for (const id of gone) this.#projects.delete(id)
      if (changed.length + gone.length > 0) this.#indexEndpoints()
      if (changed.length > 0) this.#options.onChange?.(changed)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  async #loadOrReport(id: number): Promise<Project | undefined> {
    try {
      return await this.#load(id)
    } catch (error) {
      this.#options.onError(error)
      return undefined
    }
  }

  /**
   * The version is read before the keys: if they change in between, the version is behind them, and
   * the next look reads all of it again.
   */
  async #load(id: number): Promise<Project | undefined> {
    const { database, masterKey } = this.#options
    const stored = await selectProject(database, id)
    if (stored === undefined) return undefined
    try {
      const [keys, signingKey] = await Promise.all([
        openLiveKeys(database, { projectId: id, masterKey }),
        readSigningKey(database, { projectId: id, masterKey }),
      ])
      const project = layOut(stored, { keys, signingKey })
      this.#projects.set(id, project)
      return project
    } catch (cause) {
      throw new Error(`the secrets of project ${stored.name} cannot be read`, { cause })
    }
  }

  #indexEndpoints(): void {
    const endpoints = new Map<string, Endpoint>()
    for (const project of this.#projects.values()) {
      for (const endpoint of project.endpoints.values()) endpoints.set(endpoint.id, endpoint)
    }
    this.#endpoints = endpoints
  }
}
