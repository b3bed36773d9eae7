/** The public interface of a Python module: functions, classes and constants, without bodies. */
import type { Node } from 'web-tree-sitter';
import type { SyntaxParser } from '../imports/grammar.ts';

const VALUE_CHARS_MAX = 80;
const PLAIN_VALUES = new Set('integer float string true false none unary_operator'.split(' '));

/** Empty if nothing is public. Names that start with an underscore are private, except names such as `__init__`. */
export function pythonOutline(parser: SyntaxParser, text: string): string {
  using tree = parser.parse(text);
  const docs = docstring(tree.root);
  const parts = tree.root.namedChildren.flatMap((node) => outlineNode(node, ''));
  if (parts.length === 0) return '';
  return `${[...(docs === undefined ? [] : [docs]), ...parts].join('\n\n')}\n`;
}

function outlineNode(node: Node | null, indent: string): readonly string[] {
  if (node === null) return [];
  switch (node.type) {
    case 'decorated_definition': {
      const definition = node.childForFieldName('definition');
      const shown = outlineNode(definition, indent);
      const decorators = node.namedChildren
        .filter((child) => child.type === 'decorator')
        .map((child) => `${indent}${child.text}\n`);
      return shown.map((one, index) => (index === 0 ? decorators.join('') + one : one));
    }
    case 'function_definition':
      return isPublic(readName(node)) ? [header(node, indent, `${indent}    ...`)] : [];
    case 'class_definition': {
      if (!isPublic(readName(node))) return [];
      const members = (node.childForFieldName('body')?.namedChildren ?? []).flatMap((child) =>
        outlineNode(child, `${indent}    `),
      );
      return [header(node, indent, members.length === 0 ? `${indent}    ...` : members.join('\n'))];
    }
    case 'expression_statement': {
      const assignment = node.namedChildren.find((child) => child.type === 'assignment');
      const name = assignment?.childForFieldName('left');
      if (assignment === undefined || name?.type !== 'identifier' || !isPublic(name.text))
        return [];
      const type = assignment.childForFieldName('type');
      const right = assignment.childForFieldName('right');
      const value = right?.text ?? '';
      const short = PLAIN_VALUES.has(right?.type ?? '') && value.length <= VALUE_CHARS_MAX;
      const typed = type === null ? '' : `: ${type.text}`;
      return [`${indent}${name.text}${typed}${value === '' ? '' : ` = ${short ? value : '...'}`}`];
    }
    default:
      return [];
  }
}

function header(node: Node, indent: string, rest: string): string {
  const body = node.childForFieldName('body');
  const end = (body?.startIndex ?? node.endIndex) - node.startIndex;
  const head = node.text
    .slice(0, end)
    .trimEnd()
    .replace(/:\s*(?:#.*)?$/, ':');
  const docs = body === null ? undefined : docstring(body);
  return [`${indent}${head}`, ...(docs === undefined ? [] : [`${indent}    ${docs}`]), rest].join(
    '\n',
  );
}

function docstring(block: Node): string | undefined {
  const first = block.namedChildren.find((child) => child.type !== 'comment');
  const text = first?.type === 'expression_statement' ? first.firstNamedChild : undefined;
  return text?.type === 'string' ? text.text : undefined;
}

function readName(node: Node): string {
  return node.childForFieldName('name')?.text ?? '_';
}

function isPublic(name: string): boolean {
  return !name.startsWith('_') || /^__\w+__$/.test(name);
}
