/** Secrets that nobody told us of, known by their shape: keys of clouds, of forges, of chats, private keys. */

const MARK = '[redacted]';

/** What every shape has in it somewhere: looking for these is a hundred times quicker than looking for the shapes. */
const SIGN =
  /A3T[A-Z0-9]|A(?:KI|GP|ID|RO|IP|NP|NV|SI)A|(?:ACCESS|access|Access)_?(?:KEY|key|Key)|ACCOUNT|[Aa]ccount|PRIVATE KEY|:\/\/[^\s/]{1,600}@|_authToken|npm_|xox[abopr]-|xapp-|hooks\.slack|sk-(?:ant|proj|svcacct|admin|[a-zA-Z0-9]{20})|gsk_|hf_|lin_api_|ntn_|SG\.|shp(?:pa|ca|at|ss)_|gh[oprsu]_|github_pat_|glpat-|glc_|glsa_|ops_ey|hv[brs]\.|vc[aikpr]_|dapi|dckr_pat_|figd_/;

/** False: there is certainly nothing in it that has the shape of a secret. */
export function mayHaveShape(text: string): boolean {
  return SIGN.test(text);
}

/** The text without what looks like a secret. Slow: for what is kept or shown elsewhere, not for live output. */
export async function redactShapes(text: string): Promise<string> {
  if (!mayHaveShape(text)) return text;
  const lint = await linter();
  let clean = '';
  let at = 0;
  for (const [from, to] of (await lint(text)).toSorted(([a], [b]) => a - b)) {
    if (from >= at) clean += text.slice(at, from) + MARK;
    at = Math.max(at, to);
  }
  return clean + text.slice(at);
}

type Lint = (text: string) => Promise<readonly (readonly [number, number])[]>;

let loaded: Promise<Lint> | undefined;

/** Loaded when it is first needed: most texts have no sign of a secret, and it takes its time. */
function linter(): Promise<Lint> {
  return (loaded ??= load());
}

async function load(): Promise<Lint> {
  const [{ lintSource }, { creator }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  const id = '@secretlint/secretlint-rule-preset-recommend';
  const config = { rules: [{ id, rule: creator, options: {} }] };
  return async (text) => {
    // A comment can switch it off, and what we look at was written by those whom we don't trust.
    const content = text.replaceAll('secretlint-', 'secretlint_');
    const { messages } = await lintSource({
      source: { content, filePath: 'text.txt', ext: '.txt', contentType: 'text' },
      options: { config, noPhysicFilePath: true },
    });
    return messages.map(({ range }) => [range[0], range[1]] as const);
  };
}
