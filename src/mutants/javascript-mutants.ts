/** Mutants of JavaScript and TypeScript, from the syntax tree. */
import { isRecord } from '../base/json.ts';
import type { Parse } from '../context/imports/javascript-imports.ts';
import type { Mutant, MutantOperator } from './mutant.ts';

const EXTENSION = /\.(?:[cm]?[jt]s|[jt]sx)$/;

const COMPARISONS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};
const OPERATORS: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
};

export function hasJavascriptMutants(path: string): boolean {
  return EXTENSION.test(path) && !path.endsWith('.d.ts');
}

type Node = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly start: number;
  readonly end: number;
};

/** Empty if the text can't be parsed. */
export function javascriptMutants(
  parse: Parse,
  path: string,
  text: string,
  lines: ReadonlySet<number>,
): readonly Mutant[] {
  const { program, errors } = parse(path, text);
  if (errors.length > 0) return [];
  const lineAt = lineFinder(text);
  const found: Mutant[] = [];
  const add = (operator: MutantOperator, start: number, end: number, replaced: string): void => {
    const line = lineAt(start);
    if (lines.has(line) && text.slice(start, end) !== replaced)
      found.push({ operator, line, start, end, text: replaced });
  };
  // A stack and no recursion: a hostile file may be nested deeply.
  const stack: unknown[] = [program];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isNode(node)) continue;
    mutate(node, text, add);
    // Types are not executed.
    for (const [key, child] of Object.entries(node)) {
      if (key === 'typeAnnotation' || key === 'typeArguments' || key === 'returnType') continue;
      if (Array.isArray(child)) stack.push(...(child as readonly unknown[]).toReversed());
      else if (child !== null && typeof child === 'object') stack.push(child);
    }
  }
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

type Add = (operator: MutantOperator, start: number, end: number, text: string) => void;

function mutate(node: Node, text: string, add: Add): void {
  const { start, end } = node;
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      replaceNode(node['test'], (test) =>
        add('negate-condition', test.start, test.end, `!(${text.slice(test.start, test.end)})`),
      );
      return;
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const operator = String(node['operator']);
      const [left, right] = [node['left'], node['right']];
      if (!isNode(left) || !isNode(right)) return;
      const between = text.slice(left.end, right.start);
      const at = between.indexOf(operator);
      // A bracket or a comment may stand between them; then the place is not certain.
      if (at < 0 || between.trim() !== operator) return;
      const from = left.end + at;
      const [compared, swapped] = [COMPARISONS[operator], OPERATORS[operator]];
      if (compared !== undefined) add('swap-comparison', from, from + operator.length, compared);
      else if (swapped !== undefined) add('swap-operator', from, from + operator.length, swapped);
      return;
    }
    case 'ReturnStatement':
      replaceNode(node['argument'], (value) =>
        add('replace-return', value.start, value.end, otherValue(value)),
      );
      return;
    case 'ArrowFunctionExpression':
      if (node['expression'] === true)
        replaceNode(node['body'], (value) =>
          add('replace-return', value.start, value.end, otherValue(value)),
        );
      return;
    case 'ExpressionStatement':
      // A directive such as 'use strict' is no work.
      if (node['directive'] === undefined || node['directive'] === null)
        add('delete-statement', start, end, ';');
      return;
    case 'Literal': {
      const value = node['value'];
      if (typeof value === 'number' && Number.isSafeInteger(value))
        add('off-by-one', start, end, String(value + 1));
      else if (typeof value === 'boolean') add('swap-operator', start, end, String(!value));
      return;
    }
    default:
  }
}

function replaceNode(node: unknown, use: (node: Node) => void): void {
  if (isNode(node)) use(node);
}

/** In brackets, because it may be the body of an arrow function. */
function otherValue({ type, value }: Node): string {
  if (type === 'Literal' && typeof value === 'boolean') return String(!value);
  return type === 'Literal' && value === null ? '(0)' : '(null)';
}

function isNode(value: unknown): value is Node {
  return isRecord(value) && typeof value['type'] === 'string' && typeof value['start'] === 'number';
}

function lineFinder(text: string): (at: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (at) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
