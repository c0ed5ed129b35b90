/** The first line is answered, wherever the scheduler pauses while the server begins. (issue 7 item 5) */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MaxOpsBeforeYield } from "effect/References"
import { memoryTree } from "../contract/MemoryTree.ts"
import { over, withSession } from "./given/InProcess.ts"

describe("a server that is asked at once", () => {
  it.effect("answers, after however few steps it must let others run", () =>
    Effect.gen(function* () {
      for (let steps = 16; steps <= 400; steps++) {
        const agreed = yield* withSession(over(memoryTree({})), {}, (session) => Effect.succeed(session.agreed)).pipe(
          Effect.provideService(MaxOpsBeforeYield, steps)
        )
        assert.strictEqual(agreed, "2025-11-25", `${steps}`)
      }
    })
  )
})
