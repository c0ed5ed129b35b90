/**
 * The loop: lines in, answers out, until the input ends. (design.md section 6)
 *
 * `one_by_one`: while a call runs nothing more is read, so a host that sends faster than it is answered fills the pipe
 * and waits there, not in this process. `as_completed`: calls start in order of arrival and are answered when they are
 * done, so that a slow one holds up none behind it; so many may be under way, then nothing more is read either.
 */
import { type Line, makeLines } from "./rpc/Lines.ts"

export type Order = "one_by_one" | "as_completed"

/** Above what the slow methods of a plugin may take together, so that a quick one always finds a place. */
export const maxUnderWay = 256

type Answer = (line: Line) => Promise<string | undefined>

const written = (output: NodeJS.WritableStream, text: string): Promise<void> =>
  new Promise((resolve) => {
    output.write(text, () => resolve())
  })

/** Starts the answer to a line; ends when the next line may be read. */
type Take = (line: Line) => Promise<void>

const oneByOne =
  (output: NodeJS.WritableStream, answer: Answer): Take =>
  async (line) => {
    const text = await answer(line)
    if (text !== undefined) await written(output, text)
  }

const asCompleted = (output: NodeJS.WritableStream, answer: Answer, most: number): Take => {
  const take = oneByOne(output, answer)
  const underWay = new Set<Promise<void>>()
  return async (line) => {
    const over = () => void underWay.delete(call)
    // An answer fails only when it is interrupted, and that is the end of the process.
    const call = take(line).then(over, over)
    underWay.add(call)
    while (underWay.size >= most) await Promise.race(underWay)
  }
}

/**
 * Returns when the input has ended. `one_by_one` has then written the last answer; what `as_completed` still has under
 * way is left, since nobody waits for it any more and it may take a source's whole time.
 */
export const serve = async (
  input: AsyncIterable<Uint8Array>,
  output: NodeJS.WritableStream,
  answer: Answer,
  order: Order,
  most: number = maxUnderWay
): Promise<void> => {
  const linesOf = makeLines()
  const take = order === "one_by_one" ? oneByOne(output, answer) : asCompleted(output, answer, most)
  for await (const chunk of input) {
    for (const line of linesOf(chunk)) await take(line)
  }
}
