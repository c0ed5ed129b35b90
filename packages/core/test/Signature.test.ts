/** design.md section 8: a signature spares looking through a text, and never hides a match. */
import { assert, describe, it } from "@effect/vitest"
import { bitsOf, mayContain, signatureOf } from "@memory-bridge/core/notes/Signature"

const text = "the lantern garden: 茶 🎉 caf\u00e9, blue asters beside the east gate"

describe("a text that contains a term is never ruled out", () => {
  it("every piece of a text, at every place and of every length", () => {
    const signature = signatureOf(text)
    for (let from = 0; from <= text.length; from++) {
      for (let to = from; to <= text.length; to++) {
        assert.isTrue(mayContain(signature, bitsOf(text.slice(from, to))), text.slice(from, to))
      }
    }
  })

  it("terms too short to tell are never ruled out", () => {
    for (const short of ["", "z", "zz", "茶", "🎉"]) {
      assert.isTrue(mayContain(signatureOf(""), bitsOf(short)), short)
      assert.isTrue(mayContain(signatureOf("ab"), bitsOf(short)), short)
    }
  })
})

describe("a text without a term is mostly ruled out", () => {
  it("an empty or short text, for every longer term", () => {
    for (const other of ["", "a", "ab", "abc"]) assert.isFalse(mayContain(signatureOf(other), bitsOf("needle")))
  })

  it("a note of 6 KB: at most one of twenty six-letter terms passes by chance", () => {
    const letters = "etaoinshrdlucmfw"
    const word = (seed: number, length: number) =>
      Array.from({ length }, (_, i) => letters[Math.imul(seed + 1, 2_654_435_761 + i * 40_503) >>> 28] ?? "e").join("")
    const note = Array.from({ length: 1_000 }, (_, i) => word(i, 5)).join(" ")
    const signature = signatureOf(note)
    const absent = Array.from({ length: 2_000 }, (_, i) => word(i + 50_000, 6)).filter((term) => !note.includes(term))
    const passed = absent.filter((term) => mayContain(signature, bitsOf(term))).length
    assert.isAbove(absent.length, 1_000)
    assert.isBelow(passed / absent.length, 0.05)
  })
})
