/** Parses Python with its real grammar. The parser is WebAssembly, loaded at its first use. */
import { fileURLToPath } from 'node:url';
import type { Node } from 'web-tree-sitter';

export const PYTHON = /\.pyi?$/;

export type PythonParser = { parse(text: string): PythonTree };
type PythonTree = Disposable & { readonly root: Node };

let loaded: Promise<PythonParser> | undefined;

export function loadPython(): Promise<PythonParser> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<PythonParser> {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init();
  const grammar = import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm');
  const language = await Language.load(fileURLToPath(grammar));
  const parser = new Parser().setLanguage(language);
  return {
    parse(text) {
      const tree = parser.parse(text);
      if (tree === null) throw new Error('the Python parser gave no tree'); // only without a language
      return { root: tree.rootNode, [Symbol.dispose]: () => tree.delete() };
    },
  };
}

/** One import: `level` is the number of leading dots, `names` are the imported names. */
export type PythonImport = {
  readonly level: number;
  readonly module: readonly string[];
  readonly names: readonly string[];
};

/** Imports anywhere in the file, also inside functions and conditions. */
export function pythonImports(parser: PythonParser, text: string): readonly PythonImport[] {
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
