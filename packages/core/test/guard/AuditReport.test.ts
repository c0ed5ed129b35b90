/** Issue 3 part 5: an operator learns what is wrong with an audit file, line by line, and how to go on. */
import { assert, describe, it } from "@effect/vitest"
import { auditFaults } from "@memory-bridge/core/guard/AuditLog"
import * as AuditRecord from "@memory-bridge/core/guard/AuditRecord"
import { cureOf, type Line, type LineProblem, reportOf } from "@memory-bridge/core/guard/AuditReport"

/** A hash of nothing but its own kind: 64 digits that differ for texts that differ in length. */
const hash = (text: string): string => text.length.toString(16).padStart(64, "0")

const line = (id: string, previous?: string): string => {
  const record = AuditRecord.make({ action: "allow", reason: "tool_rule", rule: "tool:0" }, "read_file", 1000, id)
  return AuditRecord.lineOf(previous === undefined ? record : { ...record, previous })
}

const chain = (count: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (let index = 0; index < count; index++) lines.push(line(`id-${"x".repeat(index)}`, hash(lines.at(-1) ?? "")))
  return lines
}

const problems = (lines: ReadonlyArray<Line>, torn = false): ReadonlyArray<string> =>
  reportOf(lines, torn, hash).problems.map((found) => `${found.problem} ${"line" in found ? found.line : ""}`)

describe("a good file", () => {
  it("has no problem", () => {
    assert.deepStrictEqual(problems([]), [])
    assert.deepStrictEqual(problems([line("a"), line("b")]), [])
    assert.deepStrictEqual(problems(chain(5)), [])
  })

  it("is counted, dated and closed with its head", () => {
    const lines = [line("a"), ...chain(1).map(() => line("b", hash(line("a"))))]
    const report = reportOf(lines, false, hash)
    assert.strictEqual(report.records, 2)
    assert.strictEqual(report.chained, 1)
    assert.strictEqual(report.first, "1970-01-01T00:00:01.000Z")
    assert.strictEqual(report.head, hash(lines[1] ?? ""))
  })

  it("may begin its chain in the middle", () => {
    const lines = [line("a"), line("b"), line("c", hash(line("b")))]
    assert.deepStrictEqual(problems(lines), [])
  })
})

describe("each thing that can be wrong is named with its line", () => {
  it.each<readonly [string, ReadonlyArray<Line>, ReadonlyArray<string>]>([
    ["a line that is no record", [line("a"), "{}", line("b")], ["not_record 2"]],
    ["an empty line", ["", line("a")], ["not_record 1"]],
    ["a record with one member more", [line("a").replace("}", ',"path":"/x"}')], ["not_record 1"]],
    ["a record with a key twice", [line("a").replace("{", '{"id":"z",')], ["not_record 1"]],
    ["a record with an unknown reason", [line("a").replace("tool_rule", "because")], ["not_record 1"]],
    ["bytes that are no text", [undefined, line("a")], ["not_text 1"]],
    ["a record that comes twice", [line("a"), line("b"), line("a")], ["repeated_id 3"]],
    ["a chain whose line was changed", chain(4).with(1, line("changed", hash(chain(1)[0] ?? ""))), ["chain_broken 3"]],
    ["a chain that lost a line", chain(4).toSpliced(1, 1), ["chain_broken 2"]],
    ["a chain that lost its first line", chain(3).slice(1), ["chain_broken 1"]],
    ["a line without a link in a chain", [...chain(2), line("z")], ["chain_interrupted 3"]]
  ])("%s", (_, lines, expected) => {
    assert.deepStrictEqual(problems(lines), expected)
  })

  it("a torn end, which is no record even if it looks like one", () => {
    assert.deepStrictEqual(problems([line("a"), line("b").slice(0, 40)], true), ["torn 2"])
    assert.deepStrictEqual(problems([line("a"), line("b")], true), ["torn 2"])
    assert.strictEqual(reportOf([line("a"), line("b")], true, hash).head, "")
  })
})

it("a file that is wrong all over is not listed to its end", () => {
  const report = reportOf(
    Array.from({ length: 5000 }, () => ""),
    false,
    hash
  )
  assert.isTrue(report.stopped)
  assert.strictEqual(report.problems.length, 1000)
  assert.isFalse(reportOf(chain(1), false, hash).stopped)
})

it("every problem has a cure", () => {
  const lineProblems: ReadonlyArray<LineProblem> = [
    "not_text",
    "not_record",
    "torn",
    "chain_broken",
    "chain_interrupted",
    "repeated_id"
  ]
  for (const problem of [...auditFaults, ...lineProblems, "missing", "unreadable"] as const) {
    assert.isAbove(cureOf(problem).length, 10)
  }
})
