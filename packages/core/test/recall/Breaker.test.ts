/** recall-contract 1.4 "Error map"; cases/recall.md 1, 23 and 24. */
import { assert, describe, it } from "@effect/vitest"
import { objectOf } from "@memory-bridge/core/recall/Answer"
import { admit, after, type Breaker, firstRestMillis, longestRestMillis } from "@memory-bridge/core/recall/Breaker"
import { failureReasons, weightOf } from "@memory-bridge/core/recall/Failure"
import type { HttpAnswer } from "@memory-bridge/core/recall/Http"
import * as Result from "effect/Result"

type Outcome = Parameters<typeof after>[2]

/** A breaker with a clock of its own, asked like a source. */
const breaker = () => {
  let state: Breaker | undefined
  let now = 1_000_000
  const pass = (peer = "a"): boolean => {
    const admitted = admit(state, peer, now)
    state = admitted ?? state
    return admitted !== undefined
  }
  const end = (outcome: Outcome, peer = "a", retryAfter = 0) => {
    state = after(state, peer, outcome, retryAfter, now)
  }
  return {
    pass,
    end,
    ask: (outcome: Outcome, peer = "a", retryAfter = 0): boolean => {
      const passed = pass(peer)
      if (passed) end(outcome, peer, retryAfter)
      return passed
    },
    wait: (millis: number) => {
      now += millis
    }
  }
}

describe("the breaker", () => {
  it("opens after three failures in a row and lets one through after half a minute", () => {
    const { ask, pass, wait } = breaker()
    assert.deepStrictEqual([ask("counts"), ask("counts"), ask("counts"), ask("counts")], [true, true, true, false])
    wait(firstRestMillis - 1)
    assert.isFalse(pass())
    wait(1)
    assert.isTrue(pass())
    assert.isFalse(pass(), "the one that decides is under way")
  })

  it("closes when that one succeeds, and rests longer when it fails, four minutes at most", () => {
    const { ask, wait } = breaker()
    for (let tries = 0; tries < 3; tries++) ask("counts")
    let rest = firstRestMillis
    for (let probes = 0; probes < 6; probes++) {
      wait(rest)
      assert.isTrue(ask("counts"))
      rest = Math.min(rest * 2, longestRestMillis)
      wait(rest - 1)
      assert.isFalse(ask("counts"))
      wait(1 - rest)
    }
    wait(longestRestMillis)
    assert.isTrue(ask("success"))
    assert.deepStrictEqual([ask("counts"), ask("counts"), ask("success")], [true, true, true])
  })

  it("counts failures in a row only", () => {
    const { ask } = breaker()
    for (let round = 0; round < 5; round++) {
      assert.deepStrictEqual([ask("counts"), ask("counts"), ask("success")], [true, true, true])
    }
  })

  it("is not moved by mistakes of ours, however many, and the next call works at once", () => {
    const { ask } = breaker()
    for (let tries = 0; tries < 20; tries++) assert.isTrue(ask("free"))
    assert.isTrue(ask("success"))
  })

  it("frees the way again when the one that decides was interrupted or refused", () => {
    for (const outcome of ["interrupted", "free"] as const) {
      const { ask, wait } = breaker()
      for (let tries = 0; tries < 3; tries++) ask("counts")
      wait(firstRestMillis)
      assert.isTrue(ask(outcome))
      assert.isTrue(ask("success"))
    }
  })

  it("opens once for failures of questions that were asked together", () => {
    const { ask, end, pass, wait } = breaker()
    for (let asked = 0; asked < 8; asked++) assert.isTrue(pass())
    for (let asked = 0; asked < 8; asked++) end("counts")
    wait(firstRestMillis - 1)
    assert.isFalse(pass())
    wait(1)
    assert.isTrue(ask("success"))
  })

  it("does not rest for ever when the clock is set back", () => {
    const { ask, wait } = breaker()
    for (let tries = 0; tries < 3; tries++) ask("counts")
    wait(-600_000)
    assert.isTrue(ask("success"))
    assert.isTrue(ask("rests", "a", 3_600_000))
    assert.isFalse(ask("success"))
    wait(longestRestMillis)
    assert.isTrue(ask("success"), "nor as long as a peer says that wants an hour")
  })

  it("rests as long as a peer wishes", () => {
    const { ask, wait } = breaker()
    assert.isTrue(ask("rests", "a", 7_000))
    wait(6_999)
    assert.isFalse(ask("success"))
    wait(1)
    assert.isTrue(ask("success"))
  })

  it("forgets what was held against a peer that is another one now", () => {
    const { ask } = breaker()
    for (let tries = 0; tries < 3; tries++) ask("counts")
    assert.isFalse(ask("success", "a"))
    assert.isTrue(ask("success", "b"))
  })

  it("takes no outcome of a peer that was replaced meanwhile", () => {
    const { end, pass } = breaker()
    pass("a")
    pass("b")
    for (let tries = 0; tries < 5; tries++) end("counts", "a")
    assert.isTrue(pass("b"))
  })
})

const answer = (changes: Partial<HttpAnswer>): HttpAnswer => ({
  status: 200,
  mediaType: "application/json",
  retryAfter: undefined,
  body: "{}",
  ...changes
})

/** The reason, its weight and how long the peer wants to be left alone. */
const meaning = (changes: Partial<HttpAnswer>): string =>
  Result.match(objectOf(answer(changes)), {
    onSuccess: () => "an object",
    onFailure: ({ reason, retryAfterMillis }) => [reason, weightOf(reason), retryAfterMillis].join(" ").trim()
  })

describe("what an answer means", () => {
  it.each([
    [{ body: `{"a":1}` }, "an object"],
    [{ status: 401 }, "not_granted free"],
    [{ status: 403 }, "not_granted free"],
    [{ status: 404 }, "incompatible free"],
    [{ status: 405 }, "incompatible free"],
    [{ status: 406 }, "incompatible free"],
    [{ status: 426 }, "incompatible free"],
    [{ status: 408 }, "busy rests 5000"],
    [{ status: 425, retryAfter: "3" }, "busy rests 3000"],
    [{ status: 429, retryAfter: "86400" }, "busy rests 60000"],
    [{ status: 429, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT" }, "busy rests 5000"],
    [{ status: 413 }, "query_too_long free"],
    [{ status: 400 }, "rejected free"],
    [{ status: 422 }, "rejected free"],
    [{ status: 301 }, "redirected free"],
    [{ status: 302 }, "redirected free"],
    [{ status: 307 }, "redirected free"],
    [{ status: 500 }, "server_error counts"],
    [{ status: 503 }, "server_error counts"],
    [{ status: 204 }, "garbled counts"],
    [{ status: 206 }, "garbled counts"],
    [{ status: 0 }, "garbled counts"],
    [{ mediaType: "text/html" }, "garbled counts"],
    [{ mediaType: "" }, "garbled counts"],
    [{ body: "" }, "garbled counts"],
    [{ body: "[]" }, "garbled counts"],
    [{ body: "null" }, "garbled counts"],
    [{ body: `{"a":NaN}` }, "garbled counts"],
    [{ body: `{"a":1} x` }, "garbled counts"],
    [{ body: "[".repeat(200_000) }, "garbled counts"]
  ] as const)("%j: %s", (changes, expected) => {
    assert.strictEqual(meaning(changes), expected)
  })

  it("only what is the source's own fault counts against it", () => {
    assert.deepStrictEqual(failureReasons.filter((reason) => weightOf(reason) === "free").toSorted(), [
      "ca_invalid",
      "ca_unreadable",
      "credential_missing",
      "credential_refused",
      "defect",
      "discovery_missing",
      "discovery_refused",
      "incompatible",
      "not_granted",
      "notes_refused",
      "overloaded",
      "query_too_long",
      "redirected",
      "rejected",
      "resting",
      "tls_expired",
      "tls_failed",
      "tls_name",
      "tls_untrusted"
    ])
  })
})
