import { isDeepStrictEqual } from 'node:util'
import type { Sql } from '#platform/database'
import type { ProjectDefinition } from '#projects'
import {
  type DefinitionRecord,
  loadDefinitionRecords,
  saveDefinitionRecords,
} from './definition-store.ts'
import { readNow, recordHistory } from './history-store.ts'
import { after, isoOf } from './instant.ts'
import { RecordIds } from './record-ids.ts'

interface Declared {
  table: string
  name: string
  /** The columns of the published table, given the record's number. */
  state: (id: string) => Record<string, unknown>
}

/**
 * Writes to the history what an applied definition added, changed or took away among its mailings,
 * topics, endpoints and field kinds. Runs in the transaction that stores the revision.
 */
export async function recordDefinition(
  sql: Sql,
  projectId: number,
  definition: ProjectDefinition,
): Promise<void> {
  const declared = declaredBy(definition)
  const known = await loadDefinitionRecords(sql, projectId)
  const now = await readNow(sql, projectId)
  const ids = new RecordIds()
  await ids.reserve(sql, declared.length)
  const changed = [
    ...declared.flatMap((one) => changeOf(one, known, now, ids)),
    ...removals(declared, known, now),
  ]
  if (changed.length === 0) return
  await saveDefinitionRecords(sql, projectId, changed)
  const rows = changed.map((record) => ({
    table: record.table,
    at: record.changedAt,
    state: publishedState(record),
  }))
  await recordHistory(sql, projectId, rows)
}

function changeOf(
  declared: Declared,
  known: DefinitionRecord[],
  now: number,
  ids: RecordIds,
): DefinitionRecord[] {
  const { table, name } = declared
  const previous = known.find((record) => record.table === table && record.name === name)
  const id = previous?.id ?? ids.take()
  const state = { ...declared.state(id), _isDeleted: false }
  if (previous !== undefined && isDeepStrictEqual(previous.state, state)) return []
  const changedAt = previous === undefined ? now : after(now, previous.changedAt)
  return [{ table, name, id, state, createdAt: previous?.createdAt ?? now, changedAt }]
}

function removals(
  declared: Declared[],
  known: DefinitionRecord[],
  now: number,
): DefinitionRecord[] {
  const stillThere = new Set(declared.map((one) => `${one.table}/${one.name}`))
  return known
    .filter((record) => record.state._isDeleted === false)
    .filter((record) => !stillThere.has(`${record.table}/${record.name}`))
    .map((record) => ({
      ...record,
      state: { ...record.state, _isDeleted: true },
      changedAt: after(now, record.changedAt),
    }))
}

function publishedState(record: DefinitionRecord): Record<string, unknown> {
  if (record.table !== 'Mailings.Mailings') return record.state
  return {
    ...record.state,
    creationDateTimeUtc: isoOf(record.createdAt),
    lastUpdateDateTimeUtc: isoOf(record.changedAt),
  }
}

function declaredBy(definition: ProjectDefinition): Declared[] {
  return [
    ...definition.mailings.map((mailing) => ({
      table: 'Mailings.Mailings',
      name: mailing.name,
      state: (id: string) => ({
        id,
        name: mailing.title,
        systemName: mailing.name,
        type: mailing.topic === null ? 'Transactional' : 'Marketing',
        channel: mailing.channel,
        subscriptionTopicInternalId: mailing.topic,
        utmSource: mailing.utm.source ?? null,
        utmMedium: mailing.utm.medium ?? null,
        utmCampaign: mailing.utm.campaign ?? null,
        utmContent: mailing.utm.content ?? null,
        utmTerm: mailing.utm.term ?? null,
      }),
    })),
    ...definition.topics.map((topic) => ({
      table: 'Mailings.SubscriptionTopics',
      name: topic.name,
      state: () => ({ internalId: topic.name, systemName: topic.name, name: topic.title }),
    })),
    ...definition.endpoints.map((endpoint) => ({
      table: 'ProcessingOrders.PointsOfContact',
      name: endpoint.name,
      state: (id: string) => ({
        id,
        internalId: endpoint.name,
        externalId: `${definition.name}.${endpoint.name}`,
        name: endpoint.title,
        systemName: endpoint.name,
        parentId: null,
      }),
    })),
    ...definition.identifierKinds.map((kind) =>
      fieldKind({ ...kind, type: 'identifier', isPersonal: true }),
    ),
    ...definition.customFields.map((field) =>
      fieldKind({ ...field, type: field.isList ? `list of ${field.type}` : field.type }),
    ),
  ]
}

function fieldKind(kind: {
  name: string
  title: string
  type: string
  isPersonal: boolean
}): Declared {
  return {
    table: 'CDP.CustomFieldsKinds',
    name: kind.name,
    state: () => ({
      internalId: kind.name,
      name: kind.title,
      systemName: kind.name,
      typeSystemName: kind.type,
      entityType: 'Customer',
      isPersonal: kind.isPersonal,
    }),
  }
}
