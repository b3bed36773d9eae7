/**
 * Reads YAML text into a tree with places. Invalid text becomes problems, never an exception. Size,
 * depth, nodes and aliases are capped. Values are text, numbers, booleans, lists and maps only.
 */
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser } from 'yaml';
import type { Document, ErrorCode, Node, Pair, YAMLMap } from 'yaml';
import { quote } from './problem.ts';
import type { Problem } from './problem.ts';
import { emptyMap, pathText } from './yaml-tree.ts';
import type { YamlEntry, YamlPath, TextPlace, YamlTree } from './yaml-tree.ts';

export const TEXT_BYTES_MAX = 256_000;
const DEPTH_MAX = 20;
const NODES_MAX = 10_000;
const ALIASES_MAX = 50;
/** Marks, words and line ends. Counting them is ten times faster than parsing them. */
const LEXEMES_MAX = 60_000;
const SYNTAX_PROBLEMS_MAX = 20;

/** Keys with a special meaning in JavaScript or in other YAML readers. */
const REFUSED_KEYS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  ['__proto__']: 'the key "__proto__" is not allowed',
  constructor: 'the key "constructor" is not allowed',
  prototype: 'the key "prototype" is not allowed',
  '<<': 'the merge key "<<" is not supported: write out the keys',
});

export type Reading = { readonly tree: YamlTree; readonly problems: readonly Problem[] };

/** `toPlace` turns a line and a column of this text, both from 1, into a place for messages. */
export function readYaml(
  source: string,
  toPlace: (line: number, column: number) => TextPlace,
): Reading {
  const text = source.replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  const placeAt = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return toPlace(line, col);
  };
  const refused = (offset: number, message: string): Reading => ({
    tree: emptyMap(placeAt(0)),
    problems: [{ place: placeAt(offset), key: '', message }],
  });

  const bytes = new TextEncoder().encode(text).length;
  if (bytes > TEXT_BYTES_MAX)
    return refused(0, `too large: ${bytes} bytes; the limit is ${TEXT_BYTES_MAX}`);
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  const odd = text.search(/[\0-\u0008\u000B\u000C\u000E-\u001F\u007F\uFFFD]/);
  if (odd !== -1)
    return refused(odd, 'not plain UTF-8 text: it contains a control or broken character');

  const tooMuch = findExcess(text);
  if (tooMuch !== undefined) return refused(0, tooMuch);

  const { doc, errors } = compose(text);
  if (errors.length > 0 || doc === undefined) {
    // One mistake often causes several parser errors in the same line. The first one is reported.
    const perLine = new Map<number, Problem>();
    for (const { offset, message } of errors.toReversed())
      perLine.set(lines.linePos(offset).line, { place: placeAt(offset), key: '', message });
    return { tree: emptyMap(placeAt(0)), problems: [...perLine.values()] };
  }
  const walk: Walk = { doc, placeAt, problems: [], nodes: 0, aliases: 0 };
  const tree = toTree(walk, doc.contents, 0, []);
  return { tree: tree.kind === 'empty' ? emptyMap(tree.place) : tree, problems: walk.problems };
}

/** Finds a text that would take too long to parse, without parsing it. */
function findExcess(text: string): string | undefined {
  let count = 0;
  let depth = 0;
  let isText = false;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > LEXEMES_MAX) return `more than ${LEXEMES_MAX} marks, words and line ends`;
    if (!isText && (lexeme === '[' || lexeme === '{')) depth += 1;
    if (!isText && (lexeme === ']' || lexeme === '}')) depth -= 1;
    if (depth > DEPTH_MAX) return `nested more than ${DEPTH_MAX} deep`;
    isText = lexeme === SCALAR_FOLLOWS;
  }
  return undefined;
}

/** The lexer emits this mark before a scalar. */
const SCALAR_FOLLOWS = '\u001F';
/** The marks of the lexer, which are no part of the text. */
const MARKS: ReadonlySet<string> = new Set(['\uFEFF', '\u0002', '\u0018', SCALAR_FOLLOWS]);

type SyntaxFault = { readonly offset: number; readonly message: string };
type Composed = { readonly doc: Document.Parsed | undefined; readonly errors: SyntaxFault[] };

/** Stops at the second document and after too many errors, to bound the cost of garbage. */
function compose(text: string): Composed {
  const errors: SyntaxFault[] = [];
  const composer = new Composer({
    schema: 'core',
    resolveKnownTags: false,
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  let first: Document.Parsed | undefined;
  for (const doc of composer.compose(untilTooManyErrors(text), true, text.length)) {
    if (first !== undefined) {
      errors.push({
        offset: doc.range[0],
        message: 'a second document starts here; only one is allowed',
      });
      break;
    }
    first = doc;
    const open = findUnclosed(text);
    for (const { code, pos } of [...doc.errors, ...doc.warnings].slice(0, SYNTAX_PROBLEMS_MAX))
      errors.push(unclosedAt(open, pos[0]) ?? { offset: pos[0], message: SYNTAX[code] });
  }
  return { doc: first, errors };
}

type OpenBracket = { readonly offset: number; readonly bracket: '[' | '{' };

/** The innermost bracket of the text that is never closed. */
function findUnclosed(text: string): OpenBracket | undefined {
  const open: OpenBracket[] = [];
  let offset = 0;
  let isText = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (!isText && (lexeme === '[' || lexeme === '{')) open.push({ offset, bracket: lexeme });
    if (!isText && (lexeme === ']' || lexeme === '}')) open.pop();
    isText = lexeme === SCALAR_FOLLOWS;
    if (!MARKS.has(lexeme)) offset += lexeme.length;
  }
  return open.at(-1);
}

/** Whatever the parser finds behind a bracket that is not closed only follows from that. */
function unclosedAt(open: OpenBracket | undefined, offset: number): SyntaxFault | undefined {
  if (open === undefined || offset < open.offset) return undefined;
  const closing = open.bracket === '[' ? ']' : '}';
  const message = `the bracket ${open.bracket} is never closed: add ${closing}`;
  return { offset: open.offset, message };
}

function* untilTooManyErrors(text: string): ReturnType<Parser['parse']> {
  let errors = 0;
  for (const token of new Parser().parse(text)) {
    yield token;
    if (token.type === 'error') errors += 1;
    if (errors >= SYNTAX_PROBLEMS_MAX) return;
  }
}

type Walk = {
  readonly doc: Document.Parsed;
  readonly placeAt: (offset: number) => TextPlace;
  readonly problems: Problem[];
  nodes: number;
  aliases: number;
};

function toTree(walk: Walk, node: Node | null, depth: number, path: YamlPath): YamlTree {
  const place = walk.placeAt(node?.range?.[0] ?? 0);
  const nothing: YamlTree = { kind: 'empty', place, fresh: false };
  const problem = (message: string): YamlTree => {
    walk.problems.push({ place, key: pathText(path), message });
    return nothing;
  };
  walk.nodes += 1;
  if (walk.nodes > NODES_MAX)
    return walk.nodes === NODES_MAX + 1 ? problem(`more than ${NODES_MAX} values`) : nothing;
  if (depth > DEPTH_MAX) return problem(`nested more than ${DEPTH_MAX} deep`);
  if (node === null) return nothing;

  if (isAlias(node)) {
    walk.aliases += 1;
    if (walk.aliases > ALIASES_MAX)
      return walk.aliases === ALIASES_MAX + 1
        ? problem(`aliases used more than ${ALIASES_MAX} times`)
        : nothing;
    const target = node.resolve(walk.doc);
    return target === undefined
      ? problem(`the alias ${quote(`*${node.source}`)} has no anchor before it`)
      : toTree(walk, target, depth + 1, path);
  }
  if (isSeq<Node>(node)) {
    const items = node.items.map((item, index) => toTree(walk, item, depth + 1, [...path, index]));
    return { kind: 'list', place, fresh: false, items };
  }
  if (isMap<Node, Node | null>(node)) return toMap(walk, node, place, depth, path);
  if (!isScalar(node)) return problem('not a value that a configuration can contain');

  const { value, source } = node;
  if (value === null && (source ?? '') === '') return nothing;
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value))
    return { kind: 'scalar', place, fresh: value === null, value: value as string | null };
  return problem('not a value that a configuration can contain');
}

function toMap(
  walk: Walk,
  map: YAMLMap<Node, Node | null>,
  place: TextPlace,
  depth: number,
  path: YamlPath,
): YamlTree {
  const entries: YamlEntry[] = [];
  const seen = new Map<string, TextPlace>();
  for (const pair of map.items) {
    if (walk.nodes > NODES_MAX) break;
    const entry = toEntry(walk, pair, place, seen, depth, path);
    if (entry !== undefined) entries.push(entry);
  }
  const [only, second] = entries;
  const replaces = only?.key === 'replace' && second === undefined && only.value.kind === 'list';
  return replaces ? { ...only.value, fresh: true } : { kind: 'map', place, fresh: false, entries };
}

/** Undefined for a key that is not part of the tree: a note (`x-*`) or a problem. */
function toEntry(
  walk: Walk,
  { key: keyNode, value }: Pair<Node, Node | null>,
  mapPlace: TextPlace,
  seen: Map<string, TextPlace>,
  depth: number,
  path: YamlPath,
): YamlEntry | undefined {
  const range = (keyNode as Node | null)?.range;
  const place = range === undefined || range === null ? mapPlace : walk.placeAt(range[0]);
  const problem = (message: string): undefined => {
    walk.problems.push({ place, key: pathText(path), message });
  };
  if (!isScalar(keyNode) || typeof keyNode.value !== 'string')
    return problem('a key must be text: quote it if it looks like a number');
  const key = keyNode.value;
  const refused = REFUSED_KEYS[key];
  if (refused !== undefined) return problem(refused);
  const first = seen.get(key);
  if (first !== undefined) {
    const line = first.line === 0 ? '' : `, first in line ${first.line}`;
    return problem(`the key ${quote(key)} is given twice${line}`);
  }
  seen.set(key, place);
  const tree = toTree(walk, value, depth + 1, [...path, key]);
  return key.startsWith('x-') ? undefined : { key, place, value: tree };
}

/** The errors of the parser in plain words. */
const SYNTAX: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) cannot have its own anchor or tag',
  BAD_ALIAS: 'an alias (*name) is not well formed',
  BAD_COLLECTION_TYPE: 'a tag does not match the list or map after it',
  BAD_DIRECTIVE: 'a line that starts with % is not supported',
  BAD_DQ_ESCAPE: 'a backslash in "double quotes" starts no known escape: use \'single quotes\'',
  BAD_INDENT: 'the indentation does not match the lines above',
  BAD_PROP_ORDER: 'an anchor or tag is in the wrong place',
  BAD_SCALAR_START: 'a plain text cannot start with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'two colons in one line: put the value in quotes or on its own lines',
  BLOCK_IN_FLOW: 'an indented block is not allowed inside [ ] or { }',
  DUPLICATE_KEY: 'a key is given twice',
  IMPOSSIBLE: 'not valid YAML',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters',
  MISSING_CHAR: 'something is missing here: a colon, a comma, a space, a closing quote or bracket',
  MULTILINE_IMPLICIT_KEY: 'a key has more than one line: is a colon missing?',
  MULTIPLE_ANCHORS: 'a value has more than one anchor',
  MULTIPLE_DOCS: 'a second document starts here; only one is allowed',
  MULTIPLE_TAGS: 'a value has more than one tag',
  NON_STRING_KEY: 'a key must be text: quote it if it looks like a number',
  RESOURCE_EXHAUSTION: `nested more than ${DEPTH_MAX} deep`,
  TAB_AS_INDENT: 'a tab is used for indentation: use spaces',
  TAG_RESOLVE_FAILED: 'a tag (!name) is not supported here',
  UNEXPECTED_TOKEN: 'not expected here: is a quote, bracket, colon or line break missing?',
};
