import type { Database } from '#platform/database'
import type { Project } from '#projects'
import { projectsWithWork } from './inbox-store.ts'
import { Lane } from './lane.ts'
import type { OperationRequest } from './operation.ts'
import type { SyncOutcome } from './sync-queue.ts'

export interface LanesParts {
  database: Database
  project: (id: number) => Project | undefined
  onFault: (fault: unknown, what: string) => void
  maxSyncWaitMs: number
}

/** How soon work accepted by another process, or left by a dead one, is found. */
const POLL_MS = 500

/** The apply lanes of this process, one for each project that has had work. */
export class Lanes implements AsyncDisposable {
  readonly #parts: LanesParts
  readonly #lanes = new Map<number, Lane>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(parts: LanesParts) {
    this.#parts = parts
    this.#poll()
  }

  get waitingCount(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.waitingCount, 0)
  }

  wake(projectId: number): void {
    this.#lane(projectId).wake()
  }

  async perform(projectId: number, request: OperationRequest): Promise<SyncOutcome> {
    return await this.#lane(projectId).perform(request)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await Promise.all([...this.#lanes.values()].map((lane) => lane[Symbol.asyncDispose]()))
  }

  #lane(projectId: number): Lane {
    const existing = this.#lanes.get(projectId)
    if (existing !== undefined) return existing
    const { database, project, onFault, maxSyncWaitMs } = this.#parts
    const openFields = () => openFieldsOf(project(projectId))
    const lane = new Lane({ database, projectId, openFields, onFault, maxSyncWaitMs })
    this.#lanes.set(projectId, lane)
    return lane
  }

  #poll(): void {
    projectsWithWork(this.#parts.database)
      .then((ids) => {
        if (!this.#isStopped) for (const id of ids) this.wake(id)
      })
      .catch((fault) => this.#parts.onFault(fault, 'looking for accepted operations failed'))
      .finally(() => {
        if (!this.#isStopped) this.#timer = setTimeout(() => this.#poll(), POLL_MS)
      })
  }
}

export function openFieldsOf(project: Project | undefined): ReadonlySet<string> {
  const fields = project?.definition.customFields ?? []
  return new Set(fields.filter((field) => !field.isPersonal).map((field) => field.name))
}
