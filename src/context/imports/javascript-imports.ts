/** The import specifiers of a TypeScript or JavaScript file, as written. */
import type { OxcError, parseSync, Program } from 'oxc-parser';
import { isRecord } from '../../base/json.ts';
import { isTooDeep } from './nesting.ts';

export const JAVASCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/;

export type Parse = typeof parseSync;
let parser: Promise<Parse> | undefined;

/** A native module, loaded at its first use. A text that it has no stack for is no program: it would end this process. */
export function loadJavaScript(): Promise<Parse> {
  parser ??= import('oxc-parser').then(({ parseSync }): Parse => {
    return (path, text, options) =>
      isTooDeep(text) ? tooDeep(parseSync(path, '')) : parseSync(path, text, options);
  });
  return parser;
}

function tooDeep({ program, module }: ReturnType<Parse>): ReturnType<Parse> {
  const message = 'It is nested too deeply.';
  const error = { severity: 'Error', message, labels: [], helpMessage: null, codeframe: null };
  return { program, module, comments: [], errors: [error as unknown as OxcError] };
}

/** Static, dynamic, re-exported and required modules, each once, in the order of the file. */
export function javascriptImports(parse: Parse, path: string, text: string): readonly string[] {
  const { module, program } = lazily(parse, path, text);
  const found: { readonly at: number; readonly specifier: string }[] = [];
  for (const { start, moduleRequest } of module.staticImports)
    found.push({ at: start, specifier: moduleRequest.value });
  for (const { entries } of module.staticExports)
    for (const { start, moduleRequest } of entries)
      if (moduleRequest !== null) found.push({ at: start, specifier: moduleRequest.value });
  for (const { moduleRequest } of module.dynamicImports) {
    const specifier = unquoted(text.slice(moduleRequest.start, moduleRequest.end));
    if (specifier !== undefined) found.push({ at: moduleRequest.start, specifier });
  }
  // Walking the whole tree is expensive, and few files need it.
  if (/\brequire\s*\(/.test(text)) found.push(...requires(program()));
  const inOrder = found.toSorted((a, b) => a.at - b.at).map(({ specifier }) => specifier);
  return [...new Set(inOrder)];
}

function lazily(parse: Parse, path: string, text: string) {
  const result = parse(path, text);
  return { module: result.module, program: () => result.program };
}

/** A string literal without placeholders. */
function unquoted(source: string): string | undefined {
  const [, , inside] = /^(["'`])([^"'`\\$]*)\1$/.exec(source) ?? [];
  return inside;
}

const DEPTH_MAX = 200;

function requires(program: Program): { at: number; specifier: string }[] {
  const found: { at: number; specifier: string }[] = [];
  const visit = (node: unknown, depth: number): void => {
    if (depth > DEPTH_MAX) return;
    if (Array.isArray(node)) for (const part of node) visit(part, depth + 1);
    if (!isRecord(node)) return;
    const specifier = required(node);
    if (specifier !== undefined) found.push({ at: Number(node['start']), specifier });
    for (const part of Object.values(node))
      if (typeof part === 'object' && part !== null) visit(part, depth + 1);
  };
  visit(program, 0);
  return found;
}

/** `require('x')`, `require.resolve('x')` and TypeScript's `import x = require('x')`. */
function required(node: Record<string, unknown>): string | undefined {
  if (node['type'] === 'TSExternalModuleReference') return readString(node['expression']);
  if (node['type'] !== 'CallExpression' || !isRecord(node['callee'])) return undefined;
  const { callee } = node;
  const called = callee['type'] === 'MemberExpression' ? callee['object'] : callee;
  const isRequire =
    isRecord(called) && called['type'] === 'Identifier' && called['name'] === 'require';
  return isRequire && Array.isArray(node['arguments'])
    ? readString(node['arguments'][0])
    : undefined;
}

function readString(node: unknown): string | undefined {
  const value = isRecord(node) && node['type'] === 'Literal' ? node['value'] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Parses JSON with comments and trailing commas, such as tsconfig.json. Undefined if it is invalid. */
export function parseLooseJson(parse: Parse, text: string): unknown {
  const { program, errors } = parse('config.ts', `(${text}\n)`);
  const [statement] = program.body;
  if (errors.length > 0 || statement?.type !== 'ExpressionStatement') return undefined;
  return readLiteral(statement.expression);
}

function readLiteral(node: unknown): unknown {
  if (!isRecord(node)) return undefined;
  switch (node['type']) {
    case 'ParenthesizedExpression':
      return readLiteral(node['expression']);
    case 'Literal':
      return node['value'];
    case 'ArrayExpression':
      return Array.isArray(node['elements']) ? node['elements'].map(readLiteral) : undefined;
    case 'ObjectExpression': {
      const properties = Array.isArray(node['properties']) ? (node['properties'] as unknown[]) : [];
      return Object.fromEntries(
        properties
          .filter(isRecord)
          .map((property) => [readString(property['key']) ?? '', readLiteral(property['value'])]),
      );
    }
    default:
      return undefined;
  }
}
