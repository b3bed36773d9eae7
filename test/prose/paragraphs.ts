/** Finds the prose in a file: paragraphs of a document, comments, test names and messages of code. */
import { parseSync } from 'oxc-parser';

export type Paragraph = {
  readonly text: string;
  /** The line of the file where the text begins. */
  readonly line: number;
  readonly isCell?: boolean;
};

const NEW_BLOCK = /^\s*(?:#{1,6} |[-*+] |\d+[.)] |>|@\w|\|)/;

/** Lines of prose as paragraphs: a blank line, a heading or an item of a list begins a new one. */
function groupLines(lines: readonly string[], firstLine: number): readonly Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let open: { text: string; line: number; isCell: boolean } | undefined;
  const close = (): void => {
    if (open !== undefined) paragraphs.push(open);
    open = undefined;
  };
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') {
      close();
      continue;
    }
    if (NEW_BLOCK.test(line)) close();
    if (open === undefined)
      open = { text: line, line: firstLine + index, isCell: line.trimStart().startsWith('|') };
    else open.text += `\n${line}`;
    if (/^#{1,6} /.test(line) || open.isCell) close();
  }
  close();
  return paragraphs;
}

export function paragraphsOfMarkdown(source: string): readonly Paragraph[] {
  let fence: string | undefined;
  const lines = source
    .replaceAll(/<!--.*?-->/gs, (comment) => comment.replaceAll(/[^\n]/g, ' '))
    .split('\n')
    .map((line) => {
      const mark = /^\s*(?:[-*+] )?(```+|~~~+)/.exec(line)?.[1];
      if (fence === undefined) {
        fence = mark;
        return mark === undefined && !/^\s*\[[^\]]+\]: /.test(line) ? line : '';
      }
      if (mark !== undefined && mark.startsWith(fence)) fence = undefined;
      return '';
    });
  return groupLines(lines, 1);
}

function lineCounter(source: string): (offset: number) => number {
  const starts = [0];
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1))
    starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

type Comment = {
  readonly type: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
};

const isDirective = (text: string): boolean =>
  /^\s*(?:oxlint|eslint|@ts-|oxfmt|biome|v8|c8|istanbul)/.test(text);

function commentParagraphs(source: string, comments: readonly Comment[]): readonly Paragraph[] {
  const lineAt = lineCounter(source);
  const paragraphs: Paragraph[] = [];
  let run: { lines: string[]; first: number; last: number } | undefined;
  const close = (): void => {
    if (run !== undefined) paragraphs.push(...groupLines(run.lines, run.first));
    run = undefined;
  };
  for (const { type, value, start } of comments) {
    if (isDirective(value)) continue;
    const line = lineAt(start);
    if (type === 'Line') {
      const isNext =
        run?.last === line - 1 &&
        /^\s*$/.test(source.slice(source.lastIndexOf('\n', start) + 1, start));
      if (!isNext) close();
      run ??= { lines: [], first: line, last: line };
      run.lines.push(value);
      run.last = line;
    } else {
      close();
      const lines = value.split('\n').map((text) => text.replace(/^\s*\*+/, ''));
      // Four more spaces are an example.
      paragraphs.push(
        ...groupLines(
          lines.map((text) => (/^ {5,}\S/.test(text) ? '' : text)),
          line,
        ),
      );
    }
  }
  close();
  return paragraphs;
}

type Node = { readonly type: string; readonly start: number; readonly [key: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'Identifier') return node['name'] as string;
  return node.type === 'MemberExpression' ? nameOf(node['property']) : '';
}

/** The text of a string or a template, or of strings joined by +, whose values count as one word. */
function stringOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'TemplateLiteral')
    return (node['quasis'] as readonly { readonly value: { readonly cooked?: string } }[])
      .map(({ value }) => value.cooked ?? '')
      .join('x');
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return undefined;
  const [left, right] = [stringOf(node['left'] as Node), stringOf(node['right'] as Node)];
  if (left === undefined && right === undefined) return undefined;
  return `${left ?? 'x'}${right ?? 'x'}`;
}

type Strings = 'all' | 'messages';

/** `test(…)`, and `test.skip(…)` too. */
function isTestName({ callee }: Node): boolean {
  if (!isNode(callee)) return false;
  const first = callee.type === 'MemberExpression' ? callee['object'] : callee;
  return /^(?:test|describe|it|suite)$/.test(
    isNode(first) && first.type === 'Identifier' ? nameOf(first) : '',
  );
}

function messageParagraphs(
  source: string,
  program: unknown,
  strings: Strings,
): readonly Paragraph[] {
  const lineAt = lineCounter(source);
  const paragraphs: Paragraph[] = [];
  const visit = (value: unknown, isMessage: boolean): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, isMessage);
      return;
    }
    if (!isNode(value) || value.type === 'ImportDeclaration' || value.type.startsWith('TS')) {
      if (!isNode(value) || !/^TS(?:As|Satisfies|NonNull)/.test(value.type)) return;
    }
    const text = isMessage ? stringOf(value) : undefined;
    if (text !== undefined && /\p{L} \p{L}|\p{L}\n\p{L}/u.test(text))
      paragraphs.push(...groupLines(text.split('\n'), lineAt(value.start)));
    const isOpen =
      isMessage ||
      (value.type === 'NewExpression' && nameOf(value['callee']) === 'Refusal') ||
      (value.type === 'CallExpression' && nameOf(value['callee']) === 'describe');
    if (value.type === 'CallExpression' && isTestName(value)) {
      const [name, ...others] = value['arguments'] as readonly Node[];
      visit(name, true);
      visit(others, isMessage);
      visit(value['callee'], isMessage);
      return;
    }
    for (const [key, child] of Object.entries(value)) {
      if (typeof child !== 'object' || child === null) continue;
      if (text !== undefined && value.type === 'BinaryExpression') continue;
      visit(child, isOpen && key !== 'key');
    }
  };
  visit(program, strings === 'all');
  return paragraphs;
}

/** Comments always, and the messages: all strings, or those of refusals, schemas and tests. */
export function paragraphsOfCode(
  file: string,
  source: string,
  strings: Strings = 'messages',
): readonly Paragraph[] {
  const parsed = parseSync(file, source);
  const comments = commentParagraphs(source, parsed.comments);
  const hasMessages =
    strings === 'all' || /\bnew Refusal\(|\.describe\(|\btest\(|\bdescribe\(/.test(source);
  return hasMessages
    ? [...comments, ...messageParagraphs(source, parsed.program, strings)]
    : comments;
}
