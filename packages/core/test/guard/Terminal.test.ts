/** Seed 004 "Terminal grammar": what is a command, and where everything else leaves the grammar. */
import { assert, describe, it } from "@effect/vitest"
import { isCommandRefused, maxCommandLength, maxOperands, parse } from "@memory-bridge/core/guard/Terminal"

const argv = (text: string): ReadonlyArray<string> | string => {
  const command = parse(text)
  return isCommandRefused(command) ? `${command.defect} at ${command.at}` : command.argv
}

describe("a command of the grammar becomes its argv", () => {
  it.each([
    ["pwd", ["pwd"]],
    ["cat /srv/a", ["cat", "/srv/a"]],
    ["cat /srv/a /srv/b", ["cat", "/srv/a", "/srv/b"]],
    ["cat -- /srv/a", ["cat", "--", "/srv/a"]],
    ["rm -rf /srv/a", ["rm", "-rf", "/srv/a"]],
    ["rm -fr -- /srv/a", ["rm", "-fr", "--", "/srv/a"]],
    ["rm -r -f /srv/a", ["rm", "-r", "-f", "/srv/a"]],
    ["touch /srv/a", ["touch", "/srv/a"]],
    ["mkdir -p /srv/a/b", ["mkdir", "-p", "/srv/a/b"]],
    ["cp /srv/a /srv/b", ["cp", "/srv/a", "/srv/b"]],
    ["mv -- /srv/a /srv/b/", ["mv", "--", "/srv/a", "/srv/b/"]],
    ['cat "/srv/my notes/a"', ["cat", "/srv/my notes/a"]],
    ["cat '/srv/my notes/a' /srv/b", ["cat", "/srv/my notes/a", "/srv/b"]],
    ["cat /srv/a-b_c.d+e%f@g:h,i", ["cat", "/srv/a-b_c.d+e%f@g:h,i"]],
    ["cat /srv/../a", ["cat", "/srv/../a"]]
  ])("%j", (text, expected) => {
    assert.deepStrictEqual(argv(text), expected)
  })
})

describe("everything else is refused where it leaves the grammar", () => {
  it.each([
    ["", "empty at 0"],
    [" cat /srv/a", "spacing at 0"],
    ["cat  /srv/a", "spacing at 4"],
    ["cat /srv/a ", "spacing at 11"],
    ["cat\t/srv/a", "character at 3"],
    ["cat /srv/a\n", "character at 10"],
    ["cat /srv/a\r", "character at 10"],
    ["cat /srv/a\u0000", "character at 10"],
    ["c\u0430t /srv/a", "character at 1"],
    ["cat /srv/\u00e9", "character at 9"],
    ["cat /srv/a\u2028", "character at 10"],
    ["cat /srv/a;pwd", "character at 10"],
    ["cat /srv/a|pwd", "character at 10"],
    ["cat /srv/a&", "character at 10"],
    ["cat /srv/a>b", "character at 10"],
    ["cat <<E", "character at 4"],
    ["cat `pwd`", "character at 4"],
    ["cat $HOME", "character at 4"],
    ['cat "/srv/$HOME"', "character at 10"],
    ["cat '/srv/$HOME'", "character at 10"],
    ["cat '/srv/*'", "character at 10"],
    ["cat /srv/~a", "character at 9"],
    ["cat /srv/a=b", "character at 10"],
    ["cat /srv/a # b", "character at 11"],
    ["cat /srv/a!", "character at 10"],
    ["cat /srv/a^b", "character at 10"],
    ["cat /srv/\\a", "character at 9"],
    ["cat '/srv/a", "quote at 4"],
    ["cat /srv/'a b'", "quote at 9"],
    ["cat '/srv/a'b", "quote at 12"],
    ["cat '/srv/a''/srv/b'", "quote at 12"],
    ['cat "/srv/a\'b"', "quote at 4"],
    ["cat ''", "quote at 4"],
    ["rm '-r' /srv/a", "quote at 3"],
    ['"rm" /srv/a', "quote at 0"],
    ["'/bin/rm' /srv/a", "command at 0"],
    ["/bin/cat /srv/a", "command at 0"],
    ["CAT /srv/a", "command at 0"],
    ["sudo cat /srv/a", "command at 0"],
    ["find /srv", "command at 0"],
    ["toString /srv/a", "command at 0"],
    ["pwd /srv/a", "operand_count at 4"],
    ["pwd -P", "option at 4"],
    ["pwd --", "option at 4"],
    ["cat", "operand_count at 3"],
    ["cat --", "operand_count at 6"],
    ["rm -rf", "operand_count at 6"],
    ["rm -i /srv/a", "option at 3"],
    ["rm -rff /srv/a", "option at 3"],
    ["rm --recursive /srv/a", "option at 3"],
    ["cat -n /srv/a", "option at 4"],
    ["cp -r /srv/a /srv/b", "option at 3"],
    ["cp -t/srv/a /srv/b", "option at 3"],
    ["mkdir -pv /srv/a", "option at 6"],
    ["touch -r /srv/a /srv/b", "option at 6"],
    ["cp /srv/a", "operand_count at 9"],
    ["cp /srv/a /srv/b /srv/c", "operand_count at 17"],
    ["rm /srv/a -r", "operand at 10"],
    ["rm -- -r", "operand at 6"],
    ["cat -- -- /srv/a", "operand at 7"],
    ["cat -", "option at 4"],
    ["cat a", "operand at 4"],
    ["cat /srv//a", "operand at 4"],
    ["cat /srv/./a", "operand at 4"],
    ["cat /proc/self/environ", "operand at 4"]
  ])("%j: %s", (text, expected) => {
    assert.strictEqual(argv(text), expected)
  })

  it("a command that is longer than one can overlook", () => {
    assert.strictEqual(argv(`cat /${"a".repeat(maxCommandLength)}`), `too_long at ${maxCommandLength}`)
  })

  it("one operand more than one can overlook, and not one less", () => {
    const operands = (count: number) => Array.from({ length: count }, (_, index) => `/a${index}`).join(" ")
    assert.isArray(argv(`cat ${operands(maxOperands)}`))
    assert.match(String(argv(`cat ${operands(maxOperands + 1)}`)), /^operand_count/)
  })
})
