import type { Sql } from '#platform/database'
import { readMailingIds } from './definition-store.ts'

/** The numbers of a project's mailings. A mailing keeps its number for ever, so each is read once. */
export class MailingIds {
  #ids = new Map<string, string>()

  async load(sql: Sql, projectId: number, names: string[]): Promise<void> {
    if (names.every((name) => this.#ids.has(name))) return
    this.#ids = await readMailingIds(sql, projectId)
  }

  get(name: string): string | undefined {
    return this.#ids.get(name)
  }
}
