/** A real browser without a window, and a page that is opened from a file as an operator would. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"

const programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

export const program = programs.find((path) => existsSync(path))

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: program ?? "",
    args: process.geteuid?.() === 0 ? ["--no-sandbox"] : []
  })

export interface Opened {
  readonly page: Page
  readonly url: string
  /** Addresses that anything asked for, the page itself first. */
  readonly requests: ReadonlyArray<string>
  /** What the browser complained of, such as what the page's own policy forbade. */
  readonly complaints: ReadonlyArray<string>
}

export const withPage = async (
  browser: Browser,
  text: string,
  options: BrowserContextOptions,
  use: (opened: Opened) => Promise<void>
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "report-"))
  const file = join(folder, "review.html")
  writeFileSync(file, text)
  const context = await browser.newContext(options)
  try {
    const page = await context.newPage()
    const requests: Array<string> = []
    const complaints: Array<string> = []
    page.on("request", (request) => requests.push(request.url()))
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(String(error)))
    page.on("dialog", (dialog) => complaints.push(dialog.message()))
    const url = pathToFileURL(file).href
    await page.goto(url)
    await use({ page, url, requests, complaints })
  } finally {
    await context.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const phone = { width: 360, height: 740 }
export const desk = { width: 1280, height: 900 }
