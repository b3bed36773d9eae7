/** The imports of a Python file, found with its real grammar. */
import type { Node } from 'web-tree-sitter';
import type { SyntaxParser } from './grammar.ts';

export const PYTHON = /\.pyi?$/;

/** One import: `level` is the number of leading dots, `names` are the imported names. */
export type PythonImport = {
  readonly level: number;
  readonly module: readonly string[];
  readonly names: readonly string[];
};

/** Imports anywhere in the file, also inside functions and conditions. */
export function pythonImports(parser: SyntaxParser, text: string): readonly PythonImport[] {
  using tree = parser.parse(text);
  const nodes = tree.root.descendantsOfType(['import_statement', 'import_from_statement']);
  return nodes.flatMap((node) =>
    node.type === 'import_statement' ? plainImports(node) : [fromImport(node)],
  );
}

function plainImports(node: Node): readonly PythonImport[] {
  return node.childrenForFieldName('name').map((name) => ({
    level: 0,
    module: dotted(name),
    names: [],
  }));
}

function fromImport(node: Node): PythonImport {
  const from = node.childForFieldName('module_name');
  const relative = from?.type === 'relative_import';
  const level = relative ? (from.firstChild?.text.replaceAll(/[^.]/g, '').length ?? 1) : 0;
  const named = relative ? from.namedChildren.find((child) => child.type === 'dotted_name') : from;
  return {
    level,
    module: named === null || named === undefined ? [] : dotted(named),
    names: node.childrenForFieldName('name').map((name) => dotted(name).join('.')),
  };
}

/** `a.b as c` is `a.b`. */
function dotted(node: Node): readonly string[] {
  const name = node.type === 'aliased_import' ? (node.childForFieldName('name') ?? node) : node;
  return name.text.split('.').map((part) => part.trim());
}
