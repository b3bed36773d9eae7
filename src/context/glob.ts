/** Matches `*`, `**`, `?`, `[abc]` and `{a,b}` on paths with forward slashes. A pattern that ends in `/` matches everything below. */
export function globMatcher(patterns: readonly string[]): (path: string) => boolean {
  const plain = new Set(patterns.filter((pattern) => !isGlob(pattern)));
  const tests = patterns.filter(isGlob).map(toRegExp);
  return (path) => plain.has(path) || tests.some((one) => one.test(path));
}

export function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern) || pattern.endsWith('/');
}

const ALTERNATIVES_DEEP_MAX = 3;

function toRegExp(pattern: string): RegExp {
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern;
  return new RegExp(`^${translate(whole, 0)}$`, 'u');
}

function translate(glob: string, depth: number): string {
  let source = '';
  for (let at = 0; at < glob.length; at += 1) {
    const rest = glob.slice(at);
    const [token = ''] =
      /^(?:\*\*\/|\/\*\*$|\*\*|\*|\?|\[!?[^\]/]+\]|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/.exec(rest) ??
      [];
    at += Math.max(token.length - 1, 0);
    if (token === '**/') source += '(?:[^/]+/)*';
    else if (token === '/**') source += '/.+';
    else if (token === '**') source += '.*';
    else if (token === '*') source += '[^/]*';
    else if (token === '?') source += '[^/]';
    else if (token.startsWith('[')) source += charClass(token);
    else if (token.startsWith('{') && depth < ALTERNATIVES_DEEP_MAX)
      source += `(?:${alternatives(token.slice(1, -1))
        .map((one) => translate(one, depth + 1))
        .join('|')})`;
    else source += escape(token === '' ? (glob[at] ?? '') : token);
  }
  return source;
}

function alternatives(inside: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of inside) {
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts;
}

function charClass(token: string): string {
  const [, not = '', members = ''] = /^\[(!?)([^\]]*)\]$/.exec(token) ?? [];
  const escaped = members.replaceAll(/[\\^\]&|~[]/g, String.raw`\$&`);
  return `[${not === '' ? '' : '^'}${escaped}]`;
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
