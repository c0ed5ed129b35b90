/**
 * The loop: lines in, answers out, in order of arrival, until the input ends. (design.md section 6)
 *
 * One call at a time. While one runs nothing more is read, so a host that sends faster than it is answered fills the
 * pipe and waits there, not in this process.
 */
import { type Line, makeLines } from "./rpc/Lines.ts"

const written = (output: NodeJS.WritableStream, text: string): Promise<void> =>
  new Promise((resolve) => {
    output.write(text, () => resolve())
  })

/** Returns when the input has ended and the last answer is written. */
export const serve = async (
  input: AsyncIterable<Uint8Array>,
  output: NodeJS.WritableStream,
  answer: (line: Line) => Promise<string | undefined>
): Promise<void> => {
  const linesOf = makeLines()
  for await (const chunk of input) {
    for (const line of linesOf(chunk)) {
      const text = await answer(line)
      if (text !== undefined) await written(output, text)
    }
  }
}
