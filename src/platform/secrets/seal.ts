import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Layout: version (1 byte), nonce (12), tag (16), ciphertext. Version 1 is AES-256-GCM. */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/**
 * Encrypts a secret for storage. The context says whose secret it is and must be the same when it is
 * opened, so that a sealed value copied into another row opens nothing.
 */
export function seal(masterKey: Buffer, plaintext: string, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', masterKey, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(associatedData(context))
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext])
}

export function open(masterKey: Buffer, sealed: Buffer, context: string): string {
  if (sealed.length < HEAD_BYTES || sealed[0] !== VERSION) {
    throw new Error('the stored secret was sealed by a version of Posthouse unknown here')
  }
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', masterKey, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(associatedData(context))
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES))
  try {
    const plaintext = [decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]
    return Buffer.concat(plaintext).toString('utf8')
  } catch (cause) {
    throw new Error(
      'the stored secret cannot be opened: it was sealed under another master key or for another use',
      { cause },
    )
  }
}

/** The version is covered too, so that a later one cannot be passed off as this one. */
function associatedData(context: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(context, 'utf8')])
}
