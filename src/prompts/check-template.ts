/**
 * A template is a program, and a project's template is written by whoever writes to the project.
 * Only what a prompt needs is allowed: values, conditions, loops, blocks and includes. Nothing can
 * be called but `slot` and `super`, and no name leads from a value to the code behind it.
 */
import nunjucks from 'nunjucks';
import { describeError, Refusal } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';

/** `name` has no ending. */
export type Template = { readonly name: string; readonly file: string; readonly text: string };

/** One node of what the parser makes of a template; the fields differ with the type. */
export type TemplateNode = {
  readonly typename: string;
  readonly lineno: number;
  readonly fields: readonly string[];
  readonly [field: string]: unknown;
};

/** The package's types leave its parser out. */
const { parser } = nunjucks as unknown as {
  readonly parser: {
    parse(text: string, extensions: readonly never[], options: object): TemplateNode;
  };
};

export const SYNTAX = { trimBlocks: true, lstripBlocks: true } as const;

const ALLOWED_NODES = new Set(
  [
    'Root NodeList Output TemplateData Literal Symbol Group Array Dict Pair LookupVal KeywordArgs',
    'If InlineIf For Block Super Extends Include Set Capture Filter FunCall',
    'Or And Not In Is Compare CompareOperand Concat Add Sub',
  ].flatMap((names) => names.split(' ')),
);
const ALLOWED_CALLS = new Set(['slot', 'super']);
const ALLOWED_FILTERS = new Set(
  'trim indent join length lower upper default first last dump'.split(' '),
);
const REFUSED_NAMES = new Set(['constructor', 'prototype', '__proto__']);
/** The parser takes nearly anything for a name, and the compiler writes it into code. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const LOOPS_DEEP_MAX = 2;

export function parseTemplate(template: Template): TemplateNode {
  try {
    return parser.parse(template.text, [], SYNTAX);
  } catch (error) {
    throw refused(template, undefined, describeError(error).replace(/^[^:]*: /, '')); // not our words, but the only ones
  }
}

/** Throws a refusal with file and line for the first thing that is not allowed. */
export function checkTemplate(template: Template): void {
  const visit = (node: TemplateNode, loops: number): void => {
    const why = objection(node);
    if (why !== undefined) throw refused(template, node.lineno, why);
    const inside = node.typename === 'For' ? loops + 1 : loops;
    if (inside > LOOPS_DEEP_MAX)
      throw refused(template, node.lineno, `loops more than ${LOOPS_DEEP_MAX} deep`);
    for (const part of childrenOf(node)) visit(part, inside);
  };
  visit(parseTemplate(template), 0);
}

export function childrenOf(node: TemplateNode): readonly TemplateNode[] {
  return node.fields
    .flatMap((field) => node[field])
    .filter((part): part is TemplateNode => isRecord(part) && 'typename' in part);
}

function objection(node: TemplateNode): string | undefined {
  const { typename } = node;
  if (!ALLOWED_NODES.has(typename)) return `${typename} is not allowed in a prompt template`;
  switch (typename) {
    case 'Symbol':
      return nameObjection(node['value']);
    case 'LookupVal': {
      const value = literal(node['val']);
      return value === undefined
        ? 'a key must be written out, not computed'
        : typeof value === 'number'
          ? undefined
          : nameObjection(value);
    }
    case 'FunCall':
      return ALLOWED_CALLS.has(symbol(node['name']) ?? '')
        ? undefined
        : 'nothing can be called but slot and super';
    case 'Filter': {
      const name = symbol(node['name']) ?? '';
      return ALLOWED_FILTERS.has(name) ? undefined : `there is no filter "${name}" here`;
    }
    case 'Set':
      return bindsSlot(node['targets']);
    case 'For':
      return bindsSlot(node['name']);
    case 'Extends':
    case 'Include':
      return typeof literal(node['template']) === 'string'
        ? undefined
        : 'the name of a template must be written out, not computed';
    default:
      return undefined;
  }
}

function nameObjection(name: unknown): string | undefined {
  return typeof name === 'string' && PLAIN_NAME.test(name) && !REFUSED_NAMES.has(name)
    ? undefined
    : `the name ${JSON.stringify(name)} is not allowed`;
}

/** What is called `slot` must be ours. */
function bindsSlot(targets: unknown): string | undefined {
  const names = [targets].flat().flatMap((one) => {
    const children = (one as TemplateNode | null)?.['children'];
    return Array.isArray(children) ? (children as unknown[]) : [one];
  });
  return names.some((one) => ALLOWED_CALLS.has(symbol(one) ?? ''))
    ? 'slot and super can not be given another meaning'
    : undefined;
}

function symbol(part: unknown): string | undefined {
  const node = part as TemplateNode | null;
  return node?.typename === 'Symbol' ? String(node['value']) : undefined;
}

function literal(part: unknown): string | number | undefined {
  const node = part as TemplateNode | null;
  const value = node?.typename === 'Literal' ? node['value'] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

function refused({ name, file }: Template, line: number | undefined, message: string): Refusal {
  return new Refusal({
    code: 'template.invalid',
    message: `${line === undefined ? file : `${file}:${line + 1}`}: ${message}`,
    hint: 'Correct the template, or remove it to use the one of the package.',
    details: { template: name },
  });
}
