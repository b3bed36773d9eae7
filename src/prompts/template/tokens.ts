/**
 * Cuts a template into text, `{{ … }}` and `{% … %}`, and each of these into tokens. White space is
 * treated as Jinja2 does with `trim_blocks` and `lstrip_blocks`: a tag alone on its line leaves no line.
 */
import type { Template } from './syntax.ts';
import { refuseTemplate } from './syntax.ts';

export type Token = { readonly line: number } & (
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'symbol'; readonly text: string }
);

export type Segment = { readonly line: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output' | 'tag'; readonly tokens: readonly Token[] }
);

const OPENING = /\{[{%#]/g;
const RAW = /^\{%-?\s*raw\s*-?%\}/;
const RAW_END = /\{%-?\s*endraw\s*-?%\}/g;
const TOKEN =
  /\s+|([A-Za-z_][A-Za-z0-9_]*)|(\d+(?:\.\d+)?)|("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|(-?%\}|-?\}\}|==|!=|<=|>=|\/\/|[()[\]{},.:|~+\-*/%<>=])/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

export function cutTemplate(template: Template): readonly Segment[] {
  const { text } = template;
  const segments: Segment[] = [];
  let at = 0;
  let line = 1;
  /** What the closing of the last tag says about the text behind it. */
  let trim: 'nothing' | 'newline' | 'all' = 'nothing';

  const advance = (to: number): void => {
    for (let index = at; index < to; index += 1) if (text.charCodeAt(index) === 10) line += 1;
    at = to;
  };
  const pushText = (to: number, opening: string): void => {
    let piece = text.slice(at, to);
    if (trim === 'newline') piece = piece.replace(/^\r?\n/, '');
    if (trim === 'all') piece = piece.trimStart();
    if (opening.endsWith('-')) piece = piece.trimEnd();
    else if (opening === '{%' || opening === '{#') {
      const bare = piece.replace(/[ \t]+$/, '');
      const startsLine =
        bare === '' ? isLineStart(text, to - (piece.length - bare.length)) : bare.endsWith('\n');
      if (startsLine) piece = bare;
    }
    if (piece !== '') segments.push({ kind: 'text', text: piece, line });
    advance(to);
    trim = 'nothing';
  };

  for (;;) {
    OPENING.lastIndex = at;
    const found = OPENING.exec(text);
    if (found === null) {
      pushText(text.length, '');
      return segments;
    }
    const opening = found[0] + (text[found.index + 2] === '-' ? '-' : '');
    pushText(found.index, opening);
    if (found[0] === '{#') {
      const end = text.indexOf('#}', at + 2);
      if (end < 0) throw refuseTemplate(template, line, 'this comment has no end "#}"');
      trim = text[end - 1] === '-' ? 'all' : 'newline';
      advance(end + 2);
      continue;
    }
    const raw = RAW.exec(text.slice(at, at + 64));
    if (raw !== null) {
      RAW_END.lastIndex = at + raw[0].length;
      const end = RAW_END.exec(text);
      if (end === null) throw refuseTemplate(template, line, '"raw" has no "endraw"');
      advance(at + raw[0].length);
      segments.push({ kind: 'text', text: text.slice(at, end.index), line });
      advance(end.index + end[0].length);
      trim = 'newline';
      continue;
    }
    const begun = line;
    const closing = found[0] === '{{' ? '}}' : '%}';
    advance(at + opening.length);
    const tokens: Token[] = [];
    for (let depth = 0; ;) {
      TOKEN.lastIndex = at;
      const match = TOKEN.exec(text);
      if (match === null) {
        const what =
          at >= text.length
            ? `"${found[0]}" has no "${closing}"`
            : `${JSON.stringify(text[at])} is not expected here`;
        throw refuseTemplate(template, at >= text.length ? begun : line, what);
      }
      const [whole, name, number, string, symbol] = match;
      // Inside brackets "}}" closes two records, not the tag.
      if (symbol !== undefined && depth === 0 && symbol.endsWith(closing)) {
        if (closing === '%}') trim = 'newline';
        if (symbol.startsWith('-')) trim = 'all';
        advance(at + whole.length);
        break;
      }
      if (symbol !== undefined && symbol.length > 1 && symbol.endsWith('}')) {
        const first = symbol[0] ?? '';
        if (first === '}') depth -= 1;
        tokens.push({ kind: 'symbol', text: first, line });
        advance(at + 1);
        continue;
      }
      if (symbol !== undefined) {
        if (symbol === '{') depth += 1;
        if (symbol === '}') depth -= 1;
        tokens.push({ kind: 'symbol', text: symbol, line });
      } else if (name !== undefined) tokens.push({ kind: 'name', text: name, line });
      else if (number !== undefined) tokens.push({ kind: 'number', value: Number(number), line });
      else if (string !== undefined) tokens.push({ kind: 'string', value: unquote(string), line });
      advance(at + whole.length);
    }
    segments.push({ kind: found[0] === '{{' ? 'output' : 'tag', tokens, line: begun });
  }
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n';
}

function unquote(written: string): string {
  return written.slice(1, -1).replace(/\\([^])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}
