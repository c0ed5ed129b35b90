/**
 * Which parts of a text look like a secret, and the text without them. (cases/recall.md 28)
 *
 * Known forms of keys and tokens, and what is said to be a password or key. It is a net with holes: it keeps the common
 * accident out of a store, it does not make a text safe to publish.
 */

const mask = "[secret]"

/** Nothing beside a private key is worth keeping, and where it ends is not certain when the text is cut. */
const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/u

export const holdsPrivateKey = (text: string): boolean => privateKey.test(text)

const tokens = [
  // OpenAI and Anthropic, Stripe.
  /\b[srp]k[-_][A-Za-z0-9_-]{16,}/gu,
  // GitHub, GitLab, Slack, Hugging Face, npm, PyPI.
  /\b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|hf_|npm_|pypi-)[A-Za-z0-9_-]{10,}/gu,
  // AWS, Google.
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/gu,
  /\bAIza[A-Za-z0-9_-]{30,}/gu,
  /\bya29\.[A-Za-z0-9._-]{20,}/gu,
  // JSON Web Token.
  // Bounded, or a text of nothing but its beginning takes time with the square of its length.
  /\beyJ[A-Za-z0-9_-]{8,1024}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}/gu,
  // Telegram.
  /\b\d{8,10}:[A-Za-z0-9_-]{35}\b/gu
]

const said = [
  /\b(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{12,}/giu,
  /(:\/\/[^\s/:@]{1,64}:)([^\s/@]{1,256})(?=@)/gu,
  /((?:pass(?:word|wd|phrase)?|pwd|secret|token|api[ _-]?key|access[ _-]?key|credential)s?\b["']?)(\s*(?:[:=]|\bis\b)\s*["']?)[^\s"',;]{4,}/giu
]

/** The same text gives the same text, and a masked text is left as it is. */
export const withoutSecrets = (text: string): string => {
  const [scheme, userinfo, assignment] = said as [RegExp, RegExp, RegExp]
  return tokens
    .reduce((masked, token) => masked.replace(token, mask), text)
    .replace(scheme, `$1$2${mask}`)
    .replace(userinfo, `$1${mask}`)
    .replace(assignment, (_, name: string, sign: string) => `${name}${sign}${mask}`)
}
