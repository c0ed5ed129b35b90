/** What `fstat` says of an open descriptor: plain data, so that every rule over it is a total function. */
export interface Facts {
  /** `other`: FIFO, socket, device, link. */
  readonly kind: "directory" | "file" | "other"
  /** User id of the owner. */
  readonly owner: number
  /** Group id of the group that it belongs to. */
  readonly group: number
  /** Permission, set-id and sticky bits (`0o7777`). */
  readonly mode: number
  /** Hard links. */
  readonly links: number
  /** Bytes. */
  readonly size: number
  readonly device: bigint
  /** Identity of the mount where the system tells one, else `undefined`. Catches bind mounts on one device. */
  readonly mount: bigint | undefined
  readonly inode: bigint
  /** Nanoseconds since 1970. */
  readonly modified: bigint
  /** Nanoseconds since 1970. */
  readonly changed: bigint
}

/** Whether nothing says that the content changed between two looks at one descriptor. */
export const unchanged = (before: Facts, after: Facts): boolean =>
  before.size === after.size &&
  before.modified === after.modified &&
  before.changed === after.changed &&
  before.inode === after.inode &&
  before.device === after.device

/** Whether both are on one device and, where mounts can be told apart, on one mount. */
export const sameMount = (one: Facts, other: Facts): boolean => one.device === other.device && one.mount === other.mount
