/** Every target, those of the notes first. */
import type { Target } from "../Target.ts"
import { acl } from "./Acl.ts"
import { broker } from "./Broker.ts"
import { discovery } from "./Discovery.ts"
import { guard } from "./Guard.ts"
import { id } from "./Ids.ts"
import { json } from "./Json.ts"
import { markdown } from "./Markdown.ts"
import { pattern } from "./Pattern.ts"
import { policy } from "./Policy.ts"
import { query } from "./Query.ts"
import { rpc } from "./Rpc.ts"
import { seen } from "./Seen.ts"
import { stripping } from "./Strip.ts"
import { terminal } from "./Terminal.ts"

export const targets: ReadonlyArray<Target> = [
  policy,
  json,
  rpc,
  acl,
  pattern,
  id,
  query,
  markdown,
  guard,
  terminal,
  broker,
  discovery,
  seen,
  stripping
]
