/** Parsers with the real grammars of languages. They are WebAssembly, and each is loaded at its first use. */
import { fileURLToPath } from 'node:url';
import type { Language, Node, Parser } from 'web-tree-sitter';

export type GrammarName = 'cpp' | 'go' | 'java' | 'python' | 'ruby' | 'rust';

export type SyntaxParser = { parse(text: string): SyntaxTree };
type SyntaxTree = Disposable & { readonly root: Node };
type TreeSitter = { readonly Language: typeof Language; readonly Parser: typeof Parser };

/** The grammars are beside the library. */
const FOLDER = import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter.wasm');

let library: Promise<TreeSitter> | undefined;
const loaded = new Map<GrammarName, Promise<SyntaxParser>>();

export function loadGrammar(name: GrammarName): Promise<SyntaxParser> {
  let parser = loaded.get(name);
  if (parser === undefined) {
    parser = load(name);
    loaded.set(name, parser);
  }
  return parser;
}

async function loadLibrary(): Promise<TreeSitter> {
  const found = await import('web-tree-sitter');
  await found.Parser.init();
  return found;
}

async function load(name: GrammarName): Promise<SyntaxParser> {
  const { Language, Parser } = await (library ??= loadLibrary());
  const language = await Language.load(fileURLToPath(new URL(`tree-sitter-${name}.wasm`, FOLDER)));
  const parser = new Parser().setLanguage(language);
  return {
    parse(text) {
      const tree = parser.parse(text);
      if (tree === null) throw new Error(`the parser of ${name} gave no tree`); // only without a language
      return { root: tree.rootNode, [Symbol.dispose]: () => tree.delete() };
    },
  };
}
