/**
 * Where a policy comes from: the profile's own file, opened and judged anew on every call. (seed 000 "What the operator
 * allows" and "Filesystem safety")
 *
 * Every component down to the directory obeys the trust rule; the file must be a regular file of the running user,
 * not writable by anybody else by mode or access control list. A parsed policy is used again only while the bytes
 * just read are identical.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { unchanged } from "../tree/Facts.ts"
import { isFault, Tree, type Walk } from "../tree/Tree.ts"
import { components, openTrustedDirectory } from "../trust/TrustedPath.ts"
import { distrust } from "../trust/Trust.ts"
import { resolveGroups } from "./GroupFile.ts"
import { decode, maxPolicyBytes, type Policy } from "./Policy.ts"

/**
 * No policy could be trusted.
 *
 * - `policy_path_untrusted` a directory on the way, or the file, breaks a trust rule; `component` and `rule` say which
 * - `policy_unreadable` the file is not there or could not be read whole; `rule` says why
 * - `policy_invalid` the content is refused; `key` and `rule` say where and why
 */
export class PolicyRefused extends Schema.TaggedError<PolicyRefused>()("PolicyRefused", {
  reason: Schema.Literals(["policy_path_untrusted", "policy_unreadable", "policy_invalid"]),
  /** Absolute path of the component that was refused. For the operator's eyes, never logged. */
  component: Schema.String,
  /** Dotted key in the file, or "". */
  key: Schema.String,
  rule: Schema.String
}) {}

export class PolicyStore extends Context.Service<
  PolicyStore,
  {
    /** Loads the policy at an absolute path. */
    readonly load: (path: string) => Effect.Effect<Policy, PolicyRefused>
  }
>()("@memory-bridge/core/policy/PolicyStore") {
  static readonly layer = Layer.effect(
    PolicyStore,
    Effect.gen(function* () {
      const tree = yield* Tree
      const parse = rememberLast(decode)
      const load = Effect.fnUntraced(function* (path: string) {
        const walk = yield* tree.walk
        const text = yield* Effect.fromResult(readPolicyText(walk, path))
        return yield* Effect.fromResult(
          Result.mapError(
            Result.flatMap(parse(text), (policy) => resolveGroups(walk, policy)),
            ({ key, rule }) => new PolicyRefused({ reason: "policy_invalid", component: path, key, rule })
          )
        )
      }, Effect.scoped)
      return PolicyStore.of({ load })
    })
  )
}

/** The policy file of a profile home. */
export const policyPathOf = (home: string): string =>
  `${home === "/" ? "" : home}/plugin-data/memory-bridge/policy.json`

const rememberLast = <A>(compute: (text: string) => A) => {
  let last: { readonly text: string; readonly result: A } | undefined
  return (text: string): A => {
    if (last?.text !== text) last = { text, result: compute(text) }
    return last.result
  }
}

const readPolicyText = (walk: Walk, path: string): Result.Result<string, PolicyRefused> => {
  const refuse = (reason: PolicyRefused["reason"], component: string, rule: string) =>
    Result.fail(new PolicyRefused({ reason, component, key: "", rule }))
  const names = components(path)
  if (typeof names === "string") return refuse("policy_path_untrusted", path, names)
  const name = names.at(-1)
  if (name === undefined) return refuse("policy_unreadable", path, "not_file")

  const directory = openTrustedDirectory(walk, path.slice(0, -name.length - 1) || "/")
  if (typeof directory === "object") return refuse("policy_path_untrusted", directory.component, directory.rule)
  const file = walk.file(directory, name, "across")
  walk.close(directory)
  if (isFault(file)) {
    return refuse(file === "link" ? "policy_path_untrusted" : "policy_unreadable", path, file)
  }

  const facts = walk.facts(file)
  if (isFault(facts)) return refuse("policy_unreadable", path, facts)
  if (facts.kind !== "file") return refuse("policy_unreadable", path, "not_file")
  // Stricter than the trust rule: root may own the directories, but the policy is the running user's own.
  if (facts.owner !== walk.user) return refuse("policy_path_untrusted", path, "foreign_owner")
  const distrusted = distrust(facts, walk.acl(file), walk.user)
  if (distrusted !== undefined) return refuse("policy_path_untrusted", path, distrusted)
  if (facts.size > maxPolicyBytes) return refuse("policy_invalid", path, `is larger than ${maxPolicyBytes} bytes`)

  const reading = walk.read(file, facts.size)
  if (!("text" in reading)) return refuse("policy_unreadable", path, reading.refused)
  const after = walk.facts(file)
  if (isFault(after) || !unchanged(facts, after)) return refuse("policy_unreadable", path, "changed")
  return Result.succeed(reading.text)
}
