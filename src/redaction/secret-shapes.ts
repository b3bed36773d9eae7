/** Finds unknown secrets by their pattern: cloud keys, tokens of code hosts and chats, private keys. */

const MARK = '[redacted]';

/**
 * A substring that every pattern contains. Searching for these is a hundred times faster than searching for the
 * patterns.
 */
const SIGN =
  /A3T[A-Z0-9]|A(?:KI|GP|ID|RO|IP|NP|NV|SI)A|(?:ACCESS|access|Access)_?(?:KEY|key|Key)|ACCOUNT|[Aa]ccount|PRIVATE KEY|:\/\/[^\s/]{1,600}@|_authToken|npm_|xox[abopr]-|xapp-|hooks\.slack|sk-(?:ant|proj|svcacct|admin|[a-zA-Z0-9]{20})|gsk_|hf_|lin_api_|ntn_|SG\.|shp(?:pa|ca|at|ss)_|gh[oprsu]_|github_pat_|glpat-|glc_|glsa_|ops_ey|hv[brs]\.|vc[aikpr]_|dapi|dckr_pat_|figd_/;

/** False: the text certainly contains nothing with the pattern of a secret. */
export function mayHaveShape(text: string): boolean {
  return SIGN.test(text);
}

/** Redacts text that looks like a secret. Slow: for text that is stored or shown elsewhere, not for live output. */
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

/** Loaded on first use, because most texts have no sign of a secret and loading takes time. */
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
    // A comment could disable the linter, and the text comes from untrusted programs.
    const content = text.replaceAll('secretlint-', 'secretlint_');
    const { messages } = await lintSource({
      source: { content, filePath: 'text.txt', ext: '.txt', contentType: 'text' },
      options: { config, noPhysicFilePath: true },
    });
    return messages.map(({ range }) => [range[0], range[1]] as const);
  };
}
